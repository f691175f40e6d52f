import { Schema } from "effect"
import { ConditionText } from "#src/domain/ConditionId.ts"
import { tickSources } from "#src/domain/Tick.ts"
import { millisMistake } from "#src/domain/time.ts"
import { WalletText } from "#src/domain/Wallet.ts"
import { EventType } from "#src/feed/model.ts"
import { aliases, streamTypes } from "./streamTypes.ts"

/** Maximum length of a filter list, and of order books named in one message. */
export const maxItems = 10_000
/** There are fewer, but a client may repeat some. */
const maxEventTypes = 100

const listOf = <S extends Schema.Top>(item: S, what: string) =>
  Schema.Array(item)
    .check(
      Schema.isMinLength(1, { message: `no ${what}: list at least one, or omit the list` }),
      Schema.isMaxLength(maxItems, { message: `at most ${maxItems} ${what}` }),
    )
    .annotate({ description: `up to ${maxItems} ${what}; an event matches if any of them does` })

const shaped = (pattern: RegExp, wants: string) =>
  Schema.String.check(Schema.makeFilter((text) => pattern.test(text), { message: wants, description: wants }))

/** Unlike the domain `TokenId`, ids from 2^256 on are accepted: they resolve to nothing, which is a warning, not an error. */
const Token = shaped(/^\d{1,78}$/, "a token id is a decimal number of up to 78 digits")
const Slug = shaped(/^[a-z0-9][a-z0-9._-]{0,254}$/i, "a slug consists of letters, digits, dots, underscores and dashes")
const Feed = shaped(/^[a-z]{2,8}(\/usd)?$/i, "a feed is a coin, e.g. BTC or BTC/USD")
/** The venue's names of leagues and ids of games are free text. */
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255))
/** Names order books by token, condition or slug, or all of them. */
const Market = shaped(
  /^(\*|\d{1,78}|0x[0-9a-f]{62}|0x[0-9a-f]{64}|[a-z0-9][a-z0-9._-]{0,254})$/i,
  "a market is a token id, a condition id, a slug, or * for all",
)

const Size = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0, { message: "a size is 0 or more" }))
const Since = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(0, { message: "a time is in Unix milliseconds" }),
  Schema.makeFilter((value: number) => {
    const mistake = millisMistake("since", value)
    return mistake && `${mistake.problem}. ${mistake.hint}`
  }),
)
const Count = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 1_000_000 }, { message: "a count is between 0 and 1000000" }),
)

/** How certain events must be. */
export const Confirmations = Schema.Union([Schema.Literals([0, 3]), Schema.Literal("finalized")])
export type Confirmations = typeof Confirmations.Type

/** Accepted at the top level and inside `filters`; the top level takes precedence. */
const replay = {
  confirmations: Schema.optionalKey(
    Confirmations.annotate({
      description:
        "sends events of the chain once they are in a block (0), three blocks follow (3) or the block is final; without it also pending ones",
    }),
  ),
  event_types: Schema.optionalKey(
    Schema.Array(EventType)
      .check(
        Schema.isMinLength(1, { message: "no event types: list at least one, or omit the list" }),
        Schema.isMaxLength(maxEventTypes, { message: `at most ${maxEventTypes} event types` }),
      )
      .annotate({ description: "restricts the stream to these event types; also enables its optional types" }),
  ),
  snapshot_count: Schema.optionalKey(
    Count.annotate({ description: "replays this many of the newest matching events; limited by plan" }),
  ),
  since: Schema.optionalKey(
    Since.annotate({
      description:
        "replays from this time on (Unix milliseconds); takes precedence over `snapshot_count`; limited by plan",
    }),
  ),
}

export const Filters = Schema.Struct({
  wallets: Schema.optionalKey(listOf(WalletText, "wallets")),
  tokens: Schema.optionalKey(listOf(Token, "token ids")),
  slugs: Schema.optionalKey(listOf(Slug, "slugs of markets or events")),
  condition_ids: Schema.optionalKey(listOf(ConditionText, "condition ids")),
  side: Schema.optionalKey(Schema.Literals(["BUY", "SELL", "buy", "sell"])),
  status: Schema.optionalKey(Schema.Literals(["pending", "confirmed", "all"])),
  min_usd: Schema.optionalKey(Size.annotate({ description: "least value of an event in dollars" })),
  max_usd: Schema.optionalKey(Size.annotate({ description: "greatest value of an event in dollars" })),
  min_size: Schema.optionalKey(
    Size.annotate({ description: "another name of `min_usd`: dollars, although `size` in events is shares" }),
  ),
  max_size: Schema.optionalKey(
    Size.annotate({ description: "another name of `max_usd`: dollars, although `size` in events is shares" }),
  ),
  feeds: Schema.optionalKey(listOf(Feed, "price feeds")),
  price_source: Schema.optionalKey(Schema.Literal("spot")),
  twap_windows: Schema.optionalKey(Schema.Array(Schema.Literals([30, 60])).check(Schema.isMaxLength(2))),
  source: Schema.optionalKey(Schema.Literals(tickSources).annotate({ description: "source of the price feeds" })),
  combo_condition_ids: Schema.optionalKey(listOf(ConditionText, "combo condition ids")),
  leg_position_ids: Schema.optionalKey(listOf(Token, "position ids of legs")),
  event_ids: Schema.optionalKey(listOf(Schema.String.check(Schema.isMaxLength(100)), "event ids")),
  module_ids: Schema.optionalKey(Schema.Array(Schema.Int).check(Schema.isMaxLength(10))),
  action: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(50))),
  direction: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(50))),
  leagues: Schema.optionalKey(listOf(Name, "codes of leagues").annotate({ description: "scores of these leagues" })),
  games: Schema.optionalKey(
    listOf(Name, "games").annotate({ description: "scores of these games, by id or by the slug of their event" }),
  ),
  ...replay,
})
export type Filters = typeof Filters.Type

/** The position at which a previous connection stopped. */
export const Resume = Schema.Struct({
  epoch: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100)).annotate({ description: "`epoch` of the last acknowledgement" }),
  ),
  seq: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: "`seq` of the last event or heartbeat",
    }),
  ),
  ticks: Schema.optionalKey(
    Schema.Record(Schema.String, shaped(/^\d{1,16}-\d{1,10}$/, "a tick id is <milliseconds>-<number>")).annotate({
      description: "price feeds: id of the last tick by feed",
    }),
  ),
  subscriber_id: Schema.optionalKey(
    Schema.String.check(Schema.isMaxLength(100)).annotate({ description: "id of the connection that ended" }),
  ),
})
export type Resume = typeof Resume.Type

const StreamName = Schema.Literals([...streamTypes, ...Object.keys(aliases)] as ReadonlyArray<string>).annotate({
  description: "defaults to settlements",
})

export const Subscribe = Schema.Struct({
  action: Schema.Literal("subscribe"),
  type: Schema.optionalKey(StreamName),
  filters: Schema.optionalKey(Filters),
  ...replay,
  token_ids: Schema.optionalKey(listOf(Token, "token ids").annotate({ description: "order books to add" })),
  markets: Schema.optionalKey(
    listOf(Market, "markets").annotate({
      description: "order books by token, condition, slug or `*`; replaces the current ones",
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
    Schema.String.check(Schema.isMaxLength(100)).annotate({ description: "defaults to all subscriptions" }),
  ),
  token_ids: Schema.optionalKey(listOf(Token, "token ids")),
  markets: Schema.optionalKey(listOf(Market, "markets")),
  type: Schema.optionalKey(StreamName),
})
export type Unsubscribe = typeof Unsubscribe.Type

/** Requests new snapshots of these books, e.g. after a checksum mismatch. */
export const Resync = Schema.Struct({ action: Schema.Literal("resync"), token_ids: listOf(Token, "token ids") })
export type Resync = typeof Resync.Type

const Ping = Schema.Struct({ action: Schema.Literal("ping") })

/** All client messages by action. */
export const actions = { subscribe: Subscribe, update: Update, unsubscribe: Unsubscribe, resync: Resync, ping: Ping }
export type ClientMessage = Subscribe | Update | Unsubscribe | Resync | typeof Ping.Type
