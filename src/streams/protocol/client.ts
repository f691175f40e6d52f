import { Schema } from "effect"
import { EventType } from "#src/feed/model.ts"
import { aliases, streamTypes } from "./types.ts"

/** Of a list in a filter, and of a message about order books. */
export const mostItems = 10_000

const listOf = <S extends Schema.Top>(item: S, what: string) =>
  Schema.Array(item)
    .check(
      Schema.isMinLength(1, { message: `no ${what}: name some, or leave the list out` }),
      Schema.isMaxLength(mostItems, { message: `at most ${mostItems} ${what}` }),
    )
    .annotate({ description: `up to ${mostItems} ${what}; one of them is enough` })

const shaped = (pattern: RegExp, wants: string) =>
  Schema.String.check(Schema.makeFilter((text) => pattern.test(text), { message: wants, description: wants }))

const Wallet = shaped(/^0x[0-9a-f]{40}$/i, "a wallet is 0x and 40 hexadecimal digits")
const Token = shaped(/^\d{1,78}$/, "a token id is a decimal number of up to 78 digits")
const Condition = shaped(/^0x([0-9a-f]{62}|[0-9a-f]{64})$/i, "a condition id is 0x and 64 hexadecimal digits")
const Slug = shaped(/^[a-z0-9][a-z0-9._-]{0,254}$/i, "a slug is letters, digits and dashes")
const Feed = shaped(/^[a-z]{2,8}(\/usd)?$/i, "a feed is a coin such as BTC or BTC/USD")
/** Of an order book: a token, a condition, a slug, or all of them. */
const Market = shaped(
  /^(\*|\d{1,78}|0x[0-9a-f]{62}|0x[0-9a-f]{64}|[a-z0-9][a-z0-9._-]{0,254})$/i,
  "a market is a token id, a condition id, a slug, or * for all",
)

const Size = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { message: "a size is 0 or more" }))
const Millis = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 8_640_000_000_000_000 }, { message: "a moment is Unix milliseconds" }),
)
const Count = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 1_000_000 }, { message: "a count is from 0 to 1000000" }),
)

/** May stand at the top level and inside `filters`; the top level wins. */
const replay = {
  event_types: Schema.optionalKey(
    Schema.Array(EventType)
      .check(Schema.isMinLength(1, { message: "no event types: name some, or leave the list out" }))
      .annotate({ description: "only these of the stream's events, or those it has on request" }),
  ),
  snapshot_count: Schema.optionalKey(
    Count.annotate({ description: "replay the newest so many that match; the plan has a limit" }),
  ),
  since: Schema.optionalKey(
    Millis.annotate({ description: "replay from this moment on; wins over `snapshot_count`; the plan has a limit" }),
  ),
}

export const Filters = Schema.Struct({
  wallets: Schema.optionalKey(listOf(Wallet, "wallets")),
  tokens: Schema.optionalKey(listOf(Token, "token ids")),
  slugs: Schema.optionalKey(listOf(Slug, "slugs of markets or events")),
  condition_ids: Schema.optionalKey(listOf(Condition, "condition ids")),
  side: Schema.optionalKey(Schema.Literals(["BUY", "SELL", "buy", "sell"])),
  status: Schema.optionalKey(Schema.Literals(["pending", "confirmed", "all"])),
  min_size: Schema.optionalKey(Size.annotate({ description: "dollars" })),
  max_size: Schema.optionalKey(Size.annotate({ description: "dollars" })),
  feeds: Schema.optionalKey(listOf(Feed, "price feeds")),
  price_source: Schema.optionalKey(Schema.Literal("spot")),
  twap_windows: Schema.optionalKey(Schema.Array(Schema.Literals([30, 60])).check(Schema.isMaxLength(2))),
  source: Schema.optionalKey(
    Schema.Literals(["oracle_data_streams", "platform_oracle"]).annotate({ description: "of price feeds" }),
  ),
  combo_condition_ids: Schema.optionalKey(listOf(Condition, "combo condition ids")),
  leg_position_ids: Schema.optionalKey(listOf(Token, "position ids of legs")),
  event_ids: Schema.optionalKey(listOf(Schema.String.check(Schema.isMaxLength(100)), "event ids")),
  module_ids: Schema.optionalKey(Schema.Array(Schema.Int).check(Schema.isMaxLength(10))),
  action: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(50))),
  direction: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(50))),
  ...replay,
})
export type Filters = typeof Filters.Type

/** Where a client that was connected before stopped. */
export const Resume = Schema.Struct({
  epoch: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(100)).annotate({ description: "of the last ack" })),
  seq: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: "of the last event or heartbeat" }),
  ),
  ticks: Schema.optionalKey(
    Schema.Record(Schema.String, shaped(/^\d{1,16}-\d{1,10}$/, "a tick id is <milliseconds>-<number>")).annotate({
      description: "of price feeds: the id of the last tick by feed",
    }),
  ),
  subscriber_id: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100)).annotate({ description: "of the connection that ended" }),
  ),
})
export type Resume = typeof Resume.Type

const StreamName = Schema.Literals([...streamTypes, ...Object.keys(aliases)] as ReadonlyArray<string>).annotate({
  description: "settlements when left out",
})

export const Subscribe = Schema.Struct({
  action: Schema.Literal("subscribe"),
  type: Schema.optionalKey(StreamName),
  filters: Schema.optionalKey(Filters),
  ...replay,
  token_ids: Schema.optionalKey(listOf(Token, "token ids").annotate({ description: "order books to add" })),
  markets: Schema.optionalKey(
    listOf(Market, "markets").annotate({
      description: "order books by token, condition, slug or `*`: these instead of those before",
    }),
  ),
  resume: Schema.optionalKey(Resume),
})
export type Subscribe = typeof Subscribe.Type

export const Update = Schema.Struct({
  action: Schema.Literal("update"),
  subscription_id: Schema.String.check(Schema.isMaxLength(100)),
  filters: Filters,
})
export type Update = typeof Update.Type

export const Unsubscribe = Schema.Struct({
  action: Schema.Literal("unsubscribe"),
  subscription_id: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100)).annotate({ description: "all when left out" }),
  ),
  token_ids: Schema.optionalKey(listOf(Token, "token ids")),
  markets: Schema.optionalKey(listOf(Market, "markets")),
  type: Schema.optionalKey(StreamName),
})
export type Unsubscribe = typeof Unsubscribe.Type

/** Sends the books of these anew, for a client whose checksum does not fit. */
export const Resync = Schema.Struct({ action: Schema.Literal("resync"), token_ids: listOf(Token, "token ids") })
export type Resync = typeof Resync.Type

export const Ping = Schema.Struct({ action: Schema.Literal("ping") })

/** Everything that a client may say. */
export const actions = { subscribe: Subscribe, update: Update, unsubscribe: Unsubscribe, resync: Resync, ping: Ping }
export type ClientMessage = Subscribe | Update | Unsubscribe | Resync | typeof Ping.Type
