import { Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { tradeOrders, tradeRoles, tradeSides } from "#src/trades/list/model.ts"
import { clampedLimit } from "../../input/page.ts"
import { parameter } from "../../input/parameter.ts"
import { visibleText } from "../../input/visibleText.ts"
import { BadInput } from "../../server/errors.ts"

export const tradeLimit = { default: 100, max: 300 }
/** Every skipped row is read, so that further back only a cursor or a time leads. */
export const maxOffset = 10_000

/** Milliseconds from 1973 on; as seconds they would be thousands of years from now. */
const looksLikeMillis = 1e11

const second = (name: string) =>
  parameter((text): number | BadInput => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value < looksLikeMillis) return Math.min(value, 2_147_483_647)
    const isMillis = value >= looksLikeMillis
    return new BadInput({
      error: `Parameter "${name}": expected Unix seconds, got ${JSON.stringify(text.slice(0, 100))}${isMillis ? ", which looks like milliseconds" : ""}.`,
      param: name,
      ...(isMillis && { hint: `Divide by 1000: ${Math.floor(value / 1000)}.` }),
    })
  })

const hash = (name: string) =>
  Schema.String.check(
    Schema.makeFilter((text) => /^0x[0-9a-f]{64}$/i.test(text), { message: `${name} is 0x and 64 hexadecimal digits` }),
  )

const amount = (description: string) =>
  Schema.optionalKey(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: 1e9 }, { message: "expected a number from 0 to 1000000000" }),
    ).annotate({ description }),
  )

export const timeRange = {
  after: Schema.optionalKey(second("after").annotate({ description: "Unix seconds; trades from this second on" })),
  before: Schema.optionalKey(second("before").annotate({ description: "Unix seconds; trades before this second" })),
}

export const groupBy = Schema.optionalKey(
  Schema.Literal("order_hash").annotate({
    description: "order_hash: one row per order with the sums of its fills that match, by its newest fill",
  }),
)

export const page = {
  order: Schema.optionalKey(
    Schema.Literals(tradeOrders).annotate({ description: "desc (newest first) or asc; desc by default" }),
  ),
  limit: clampedLimit("trades", tradeLimit),
  offset: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween(
        { minimum: 0, maximum: maxOffset },
        { message: `expected 0 to ${maxOffset}; use \`cursor\`, or \`before\`, to go further back` },
      ),
    ).annotate({ description: `trades to skip, at most ${maxOffset}; 0 by default. New trades shift the pages` }),
  ),
  cursor: Schema.optionalKey(
    visibleText("a cursor").annotate({
      description:
        "the `next_cursor` of the previous page, with the same other parameters. New trades do not shift the pages, and every page costs the same",
    }),
  ),
}

const markets = {
  token_id: Schema.optionalKey(TokenId.annotate({ description: "only trades of this token" })),
  condition_id: Schema.optionalKey(ConditionId.annotate({ description: "only trades of this condition's tokens" })),
  market_slug: Schema.optionalKey(visibleText("a slug").annotate({ description: "only trades of this market" })),
  event_slug: Schema.optionalKey(
    visibleText("a slug").annotate({ description: "only trades of this event's markets" }),
  ),
  event_id: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_147_483_647 })).annotate({
      description: "only trades of the markets of the event with this id",
    }),
  ),
}

export const ofTrade = {
  side: Schema.optionalKey(
    Schema.Literals([...tradeSides, "both"]).annotate({ description: "buy, sell or both; both by default" }),
  ),
  min_amount_usd: amount("only trades of at least this many dollars"),
  min_amount: amount("only trades of at least this many shares"),
}

export const filters = {
  ...markets,
  order_hash: Schema.optionalKey(
    hash("an order hash").annotate({ description: "only fills of this order, whichever side it was on" }),
  ),
  builder: Schema.optionalKey(
    hash("a builder code").annotate({ description: "only fills of orders that this builder routed" }),
  ),
  ...ofTrade,
}

export const role = Schema.optionalKey(
  Schema.Literals(tradeRoles).annotate({
    description: "taker: the wallet's order started the match; maker: it was filled by another; both by default",
  }),
)
