import { Schema } from "effect"
import { Confirmations } from "../client.ts"
import { refusalCodes } from "../Refusal.ts"
import { streamTypes } from "../streamTypes.ts"
import { Flag, Millis, maybe, message, Seq, sample, Text, Texts, Whole } from "./fields.ts"

const { epoch, moment, seq, subscriber, subscription } = sample

const Warnings = Texts.annotate({
  description: "Parts of the request that were not applied; the subscription is active nevertheless",
})

const Replay = Schema.Struct({
  mode: Schema.Literals(["since", "snapshot_count", "resume"]),
  requested: Schema.Finite.annotate({ description: "Unix milliseconds, a count or a seq, depending on `mode`" }),
  granted: Schema.Finite,
  clamped: Flag.annotate({ description: "The plan or the retention limited the request" }),
}).annotate({ description: "Events sent before the stream is live" })

const Missed = Schema.Struct({
  after: Schema.Finite,
  until: Schema.Finite,
  fetch: Text.annotate({ description: "REST path that returns the missed events" }),
}).annotate({ description: "Events after the requested position that this subscription does not send" })

const dollarBounds = {
  min_usd: maybe(
    Schema.Finite.annotate({ description: "Least value of an event in dollars, as requested or by default" }),
  ),
  max_usd: maybe(Schema.Finite.annotate({ description: "Greatest value of an event in dollars" })),
}

const LastClose = Schema.Struct({
  subscriber_id: Text,
  code: Whole,
  reason: Text,
  at: Millis,
  from_seq: maybe(Seq),
  to_seq: maybe(Seq),
}).annotate({
  description:
    "Why the connection named in `resume.subscriber_id`, or else the last one, was closed; reported if the close frame could not be delivered",
})

/** Fields of every acknowledgement. */
export const acknowledged = {
  type: Schema.Literal("subscribed"),
  subscriber_id: Text,
  subscription_id: Text.annotate({ description: "`<connection>:<n>`; used in `update` and `unsubscribe`" }),
  epoch: Text.annotate({ description: "Identifies the event log; send it back in `resume`" }),
  seq: Seq.annotate({ description: "Newest event of the log" }),
  warnings: Warnings,
  replay: maybe(Replay),
  recovered: maybe(Flag.annotate({ description: "After `resume`: whether all missed events follow" })),
  reason: maybe(Text.annotate({ description: "Why it was not recovered" })),
  missed: maybe(Missed),
  last_close: maybe(LastClose),
}

const eventStream = Schema.Literals(streamTypes.filter((type) => type !== "oracle" && type !== "orderbook"))

export const subscribed = message(
  "An event subscription is active. Replayed events follow, then `caught_up`, then live events.",
  {
    ...acknowledged,
    subscription_type: eventStream,
    confirmations: maybe(Confirmations.annotate({ description: "What events wait for, as requested" })),
    ...dollarBounds,
  },
  {
    type: "subscribed",
    subscriber_id: subscriber,
    subscription_id: subscription,
    subscription_type: "fills",
    epoch,
    seq,
    warnings: [],
    min_usd: 10,
    replay: { mode: "resume", requested: seq - 12, granted: seq - 12, clamped: false },
    recovered: true,
  },
)

export const snapshot = message(
  "Replayed events of any stream but fills, several per frame; empty if there is nothing to replay.",
  {
    type: Schema.Literal("snapshot"),
    subscription_id: maybe(Text),
    count: Whole,
    events: Schema.Array(Schema.Unknown),
  },
  { type: "snapshot", subscription_id: subscription, count: 0, events: [] },
)

export const caughtUp = message(
  "The replay is complete; live events follow.",
  {
    type: Schema.Literal("caught_up"),
    subscription_id: maybe(Text),
    replayed: Whole,
    seq: Seq,
    searched_after: maybe(
      Seq.annotate({
        description: "With `snapshot_count`: fewer events were found, and the search stopped at this seq",
      }),
    ),
  },
  { type: "caught_up", subscription_id: subscription, replayed: 12, seq },
)

export const updated = message(
  "The filters of a subscription were replaced. For price feeds, the new ones are included.",
  {
    type: Schema.Literal("updated"),
    subscriber_id: Text,
    subscription_id: Text,
    subscription_type: maybe(Schema.Literals(streamTypes)),
    epoch: Text,
    seq: Seq,
    warnings: Warnings,
    ...dollarBounds,
    feeds: maybe(Texts),
    source: maybe(Text),
    price_source: maybe(Text),
    prices: maybe(Texts),
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
  "A subscription ended, or all of them if none is named.",
  {
    type: Schema.Literal("unsubscribed"),
    subscriber_id: Text,
    subscription_id: maybe(Text),
    partial: maybe(Flag.annotate({ description: "Only the named order books ended; the others continue" })),
  },
  { type: "unsubscribed", subscriber_id: subscriber, subscription_id: subscription },
)

const Age = Schema.NullOr(Schema.Finite).annotate({
  description: "Age of the newest data in milliseconds; null if unknown",
})

export const heartbeat = message(
  "Sent every 30 seconds with the ages of the connection's sources.",
  {
    type: Schema.Literal("heartbeat"),
    ts: Millis,
    seq: Seq.annotate({ description: "All events up to this one have been sent; can be used in `resume`" }),
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
  "A source of your subscriptions is older than its bound. Silence now means missing data, not a quiet market.",
  { type: Schema.Literal("stale"), source: Text, age_ms: Age, bound_ms: Schema.Finite, reason: maybe(Text) },
  { type: "stale", source: "chain", age_ms: 31_400, bound_ms: 30_000 },
)

export const fresh = message(
  "A stale source is fresh again.",
  { type: Schema.Literal("fresh"), source: Text, age_ms: Age },
  { type: "fresh", source: "chain", age_ms: 1200 },
)

export const pong = message(
  "Answer to `ping`.",
  { type: Schema.Literal("pong"), ts: Millis },
  { type: "pong", ts: moment },
)

export const error = message(
  "The request was refused; the connection stays open.",
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
    message: "filters.wallets[0]: an address is 0x and 40 hexadecimal digits",
  },
)

export const warning = message(
  "A notice, e.g. that a free session is about to end.",
  { type: Schema.Literal("warning"), code: Text, message: Text, left_ms: maybe(Schema.Finite) },
  {
    type: "warning",
    code: "session_ending",
    message: "the daily time of the free plan ends in 5 minutes",
    left_ms: 300_000,
  },
)

export const lagged = message(
  "The client read too slowly. The missed events, in this range, follow now, then `caught_up`.",
  { type: Schema.Literal("lagged"), from_seq: Seq, to_seq: Seq },
  { type: "lagged", from_seq: seq, to_seq: seq + 250 },
)

export const closing = message(
  "Last frame before the connection is closed with this code.",
  {
    type: Schema.Literal("closing"),
    code: Whole,
    reason: Text,
    retry_after_ms: maybe(Whole.annotate({ description: "Milliseconds to wait before reconnecting" })),
  },
  {
    type: "closing",
    code: 1001,
    reason: "The gateway is shutting down; reconnect after retry_after_ms.",
    retry_after_ms: 840,
  },
)
