import { Schema } from "effect"
import { refusalCodes } from "../Refusal.ts"
import { streamTypes } from "../types.ts"
import { Flag, Millis, maybe, message, Seq, sample, Text, Texts, Whole } from "./fields.ts"

const { epoch, moment, seq, subscriber, subscription } = sample

const Warnings = Texts.annotate({
  description: "What could not be done as asked; the subscription is active all the same",
})

export const Replay = Schema.Struct({
  mode: Schema.Literals(["since", "snapshot_count", "resume"]),
  requested: Schema.Finite.annotate({ description: "Unix milliseconds, a count or a seq, by `mode`" }),
  granted: Schema.Finite,
  clamped: Flag.annotate({ description: "The plan, or how much is kept, gave less than was asked for" }),
}).annotate({ description: "What is sent before what is live" })

const Missed = Schema.Struct({
  after: Schema.Finite,
  until: Schema.Finite,
  fetch: Text.annotate({ description: "Where to get it by REST" }),
}).annotate({ description: "What this subscription will not send, though it was asked to go on from there" })

const LastClose = Schema.Struct({
  subscriber_id: Text,
  code: Whole,
  reason: Text,
  at: Millis,
  from_seq: maybe(Seq),
  to_seq: maybe(Seq),
}).annotate({
  description:
    "Why the connection named in `resume.subscriber_id`, or the last one, was ended, for a client that could not be told then",
})

/** Of every acknowledgement. */
export const acknowledged = {
  type: Schema.Literal("subscribed"),
  subscriber_id: Text,
  subscription_id: Text.annotate({ description: "`<connection>:<n>`; names it in `update` and `unsubscribe`" }),
  epoch: Text.annotate({ description: "Tells this event log from another; give it back in `resume`" }),
  seq: Seq.annotate({ description: "The newest event of the log" }),
  warnings: Warnings,
  replay: maybe(Replay),
  recovered: maybe(Flag.annotate({ description: "Of a `resume`: whether everything that was missed follows" })),
  reason: maybe(Text.annotate({ description: "Why it was not recovered" })),
  missed: maybe(Missed),
  last_close: maybe(LastClose),
}

const eventStream = Schema.Literals(streamTypes.filter((type) => type !== "oracle" && type !== "orderbook"))

export const subscribed = message(
  "A subscription to events is active. What is replayed follows, then `caught_up`, then what is live.",
  {
    ...acknowledged,
    subscription_type: eventStream,
  },
  {
    type: "subscribed",
    subscriber_id: subscriber,
    subscription_id: subscription,
    subscription_type: "fills",
    epoch,
    seq,
    warnings: [],
    replay: { mode: "resume", requested: seq - 12, granted: seq - 12, clamped: false },
    recovered: true,
  },
)

export const snapshot = message(
  "What is replayed of other streams than fills, several events at a time; empty when there is nothing to replay.",
  {
    type: Schema.Literal("snapshot"),
    subscription_id: maybe(Text),
    count: Whole,
    events: Schema.Array(Schema.Unknown),
  },
  { type: "snapshot", subscription_id: subscription, count: 0, events: [] },
)

export const caughtUp = message(
  "Everything that was to be replayed has been sent; what follows is live.",
  {
    type: Schema.Literal("caught_up"),
    subscription_id: maybe(Text),
    replayed: Whole,
    seq: Seq,
    searched_after: maybe(
      Seq.annotate({ description: "For `snapshot_count`: fewer were found, and nothing up to this was looked at" }),
    ),
  },
  { type: "caught_up", subscription_id: subscription, replayed: 12, seq },
)

export const updated = message(
  "A subscription has other filters from here on. Those of price feeds say what they are.",
  {
    type: Schema.Literal("updated"),
    subscriber_id: Text,
    subscription_id: Text,
    subscription_type: maybe(Schema.Literals(streamTypes)),
    epoch: Text,
    seq: Seq,
    warnings: Warnings,
    feeds: maybe(Texts),
    source: maybe(Text),
    price_source: maybe(Text),
    twap_windows: maybe(Schema.Array(Whole)),
    last_close: maybe(LastClose),
  },
  {
    type: "updated",
    subscriber_id: subscriber,
    subscription_id: subscription,
    subscription_type: "fills",
    epoch,
    seq,
    warnings: [],
  },
)

export const unsubscribed = message(
  "A subscription is over, or all of them when none is named.",
  {
    type: Schema.Literal("unsubscribed"),
    subscriber_id: Text,
    subscription_id: maybe(Text),
    partial: maybe(Flag.annotate({ description: "Only of the order books that were named; the others go on" })),
  },
  { type: "unsubscribed", subscriber_id: subscriber, subscription_id: subscription },
)

const Age = Schema.NullOr(Schema.Finite).annotate({
  description: "Milliseconds since the moment that the newest data are of; null when nobody knows",
})

export const heartbeat = message(
  "Sent every 30 seconds: the connection is alive, and this is how old its sources are.",
  {
    type: Schema.Literal("heartbeat"),
    ts: Millis,
    seq: Seq.annotate({ description: "Everything up to this event has been sent; good for `resume`" }),
    sources: Schema.Record(Text, Schema.Struct({ age_ms: Age, stale: Flag })),
  },
  {
    type: "heartbeat",
    ts: moment,
    seq,
    sources: { chain: { age_ms: 2100, stale: false }, "ticks:oracle_data_streams": { age_ms: 640, stale: false } },
  },
)

export const stale = message(
  "A source that you depend on is older than its bound: silence now means that nothing is known, not that nothing happens.",
  { type: Schema.Literal("stale"), source: Text, age_ms: Age, bound_ms: Schema.Finite, reason: maybe(Text) },
  { type: "stale", source: "chain", age_ms: 31_400, bound_ms: 30_000 },
)

export const fresh = message(
  "A source that was stale has returned.",
  { type: Schema.Literal("fresh"), source: Text, age_ms: Age },
  { type: "fresh", source: "chain", age_ms: 1200 },
)

export const pong = message(
  "The answer to `ping`.",
  { type: Schema.Literal("pong"), ts: Millis },
  { type: "pong", ts: moment },
)

export const error = message(
  "What was asked for is not done; the connection stays.",
  {
    type: Schema.Literal("error"),
    code: Schema.Literals(refusalCodes),
    error: Text.annotate({ description: "The same as `code`" }),
    message: Text,
    retry_after_ms: maybe(Whole),
  },
  {
    type: "error",
    code: "invalid_message",
    error: "invalid_message",
    message: "filters.wallets[0]: a wallet is 0x and 40 hexadecimal digits",
  },
)

export const warning = message(
  "Something that you should know, such as the end of a free session.",
  { type: Schema.Literal("warning"), code: Text, message: Text, left_ms: maybe(Schema.Finite) },
  {
    type: "warning",
    code: "session_ending",
    message: "the free plan's time of today ends in 5 minutes",
    left_ms: 300_000,
  },
)

export const lagged = message(
  "You read too slowly: what came meanwhile, with these numbers, follows now, and `caught_up` after it.",
  { type: Schema.Literal("lagged"), from_seq: Seq, to_seq: Seq },
  { type: "lagged", from_seq: seq, to_seq: seq + 250 },
)

export const closing = message(
  "The last frame before the connection is closed with this code.",
  {
    type: Schema.Literal("closing"),
    code: Whole,
    reason: Text,
    retry_after_ms: maybe(Whole.annotate({ description: "When to connect again" })),
  },
  {
    type: "closing",
    code: 1001,
    reason: "The gateway is stopping; connect again after retry_after_ms.",
    retry_after_ms: 840,
  },
)
