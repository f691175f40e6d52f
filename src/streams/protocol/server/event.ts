import { Schema } from "effect"
import type { EventType } from "#src/feed/model.ts"
import { Confirmations } from "../client.ts"
import {
  Amount,
  AmountOrNull,
  Flag,
  Hash,
  Millis,
  maybe,
  Seq,
  sample,
  TextOrNull,
  Texts,
  TokenId,
  WholeOrNull,
} from "./fields.ts"

/** Market data added to an event; null if the market is unknown. */
export const enrichment = {
  market_title: maybe(TextOrNull),
  market_slug: maybe(TextOrNull),
  market_image: maybe(TextOrNull),
  event_title: maybe(TextOrNull),
  event_slug: maybe(TextOrNull),
  condition_id: maybe(TextOrNull),
  outcome: maybe(TextOrNull),
  outcomes: maybe(Schema.NullOr(Texts)),
  token_ids: maybe(Schema.NullOr(Texts)),
  tokens: maybe(Schema.NullOr(Schema.Record(TokenId, Schema.String))),
  neg_risk: maybe(Schema.NullOr(Flag)),
  tick_size: maybe(AmountOrNull),
  taker_base_fee: maybe(AmountOrNull),
}

export const sampleEnrichment = {
  market_title: "Will it rain tomorrow?",
  market_slug: "will-it-rain-tomorrow",
  market_image: null,
  event_title: "Weather tomorrow",
  event_slug: "weather-tomorrow",
  condition_id: sample.condition,
  outcome: "Yes",
  outcomes: ["Yes", "No"],
  token_ids: [sample.token, sample.otherToken],
  tokens: { [sample.token]: "Yes", [sample.otherToken]: "No" },
  neg_risk: false,
  tick_size: 0.01,
  taker_base_fee: null,
}

/** Position of an event in the chain. */
export const inBlock = {
  tx_hash: Hash,
  block_number: WholeOrNull,
  log_index: WholeOrNull,
  timestamp: Amount,
}

export const sampleBlock = { tx_hash: sample.tx, block_number: sample.block, log_index: 17, timestamp: sample.second }

/** Beside the data of every event. */
export const certainty = maybe(
  Confirmations.annotate({ description: "What the event waited for, if the subscription asks for 3 or finalized" }),
)

/** An event with its envelope, as sent by every stream and /v1/events. */
export const event = <T extends Exclude<EventType, "fill">, F extends Schema.Struct.Fields>(
  type: T,
  description: string,
  fields: F,
  example: Schema.Struct<F>["Type"],
) => {
  const data = Schema.Struct({ event_type: Schema.Literal(type), ...fields })
  const frame = Schema.Struct({
    type: Schema.Literal(type),
    seq: Seq,
    timestamp: Millis,
    confirmations: certainty,
    data,
  })
  const shown = { type, seq: sample.seq, timestamp: sample.moment, data: { event_type: type, ...example } }
  return frame.annotate({ description, examples: [shown as typeof frame.Type] })
}
