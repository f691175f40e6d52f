import { Effect, Metric } from "effect"
import type { ResyncReason } from "./model.ts"

const heldIn = (shard: string) =>
  Metric.gauge("presage_books_held", { description: "Up-to-date order books", attributes: { shard } })
const ageIn = (shard: string) =>
  Metric.gauge("presage_books_data_age_seconds", {
    description: "Time since the last frame of the quietest connection of a shard",
    attributes: { shard },
  })
const deltas = Metric.counter("presage_books_deltas_total", {
  description: "Level changes applied to books",
  incremental: true,
})
const resyncs = (reason: ResyncReason) =>
  Metric.counter("presage_books_resyncs_total", {
    description: "Books read again from the venue, by reason",
    incremental: true,
    attributes: { reason },
  })
const unknown = (type: string) =>
  Metric.counter("presage_books_unknown_messages_total", {
    description: "Messages of the market socket of an unknown type",
    incremental: true,
    attributes: { type },
  })
const announced = Metric.counter("presage_books_price_changes_total", {
  description: "Price changes written to the event log",
  incremental: true,
})

export const countResyncs = (reasons: ReadonlyArray<ResyncReason>) =>
  Effect.forEach(reasons, (reason) => Metric.update(resyncs(reason), 1), { discard: true })
export const countUnknown = (types: ReadonlyArray<string>) =>
  Effect.forEach(types, (type) => Metric.update(unknown(type.slice(0, 40)), 1), { discard: true })
export const countAnnounced = (count: number) => Metric.update(announced, count)

export const updateShardMetrics = (shard: number, held: number, ageMillis: number, freshDeltas: number) =>
  Effect.all(
    [
      Metric.update(heldIn(String(shard)), held),
      Metric.update(ageIn(String(shard)), ageMillis / 1000),
      Metric.update(deltas, freshDeltas),
    ],
    { discard: true },
  )
