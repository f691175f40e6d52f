import { Schema } from "effect"
import { ConditionId } from "#src/domain/ConditionId.ts"
import { TokenId } from "#src/domain/TokenId.ts"
import { scanLimits } from "#src/trades/list/candidates.ts"
import { tradeRoles, tradeSides, tradeSorts } from "#src/trades/list/model.ts"
import { hashText } from "../../input/hash.ts"
import { visibleText } from "../../input/visibleText.ts"

const amount = (description: string) =>
  Schema.optionalKey(
    Schema.Finite.check(
      Schema.isBetween({ minimum: 0, maximum: 1e9 }, { message: "expected a number from 0 to 1000000000" }),
    ).annotate({ description }),
  )

export const sortBy = Schema.optionalKey(
  Schema.Literals(tradeSorts).annotate({
    description: `${tradeSorts.join(", ")}; timestamp by default. Only up to ${scanLimits.sorted} fills are sorted by anything else: narrow the list with \`after\`, \`before\` or a market`,
  }),
)

export const groupBy = Schema.optionalKey(
  Schema.Literal("order_hash").annotate({
    description: "order_hash: one row per order with the sums of its fills that match, by its newest fill",
  }),
)

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
    hashText("an order hash").annotate({ description: "only fills of this order, whichever side it was on" }),
  ),
  builder: Schema.optionalKey(
    hashText("a builder code").annotate({ description: "only fills of orders that this builder routed" }),
  ),
  ...ofTrade,
}

export const includeCombos = Schema.optionalKey(
  Schema.Literals(["true", "false"]).annotate({
    description: "true adds the trades of combos in a form of their own; false by default",
  }),
)

export const role = Schema.optionalKey(
  Schema.Literals(tradeRoles).annotate({
    description: "taker: the wallet's order started the match; maker: it was filled by another; both by default",
  }),
)
