import { Effect, Metric } from "effect"

const pendingNow = Metric.gauge("presage_settlements_pending", {
  description: "Matches seen in the mempool that are neither in a block nor dropped",
})
const seen = Metric.counter("presage_settlements_seen_total", {
  description: "Matches that were seen before they were in a block",
  incremental: true,
})
const confirmed = Metric.counter("presage_settlements_confirmed_total", {
  description: "Settlements whose block came",
  incremental: true,
})
const dropped = Metric.counter("presage_settlements_dropped_total", {
  description: "Settlements given up because no block with them came in time",
  incremental: true,
})
const waits = Metric.histogram("presage_settlements_confirmation_seconds", {
  description: "Time from seeing a match until its block is in the ledger",
  boundaries: Metric.exponentialBoundaries({ start: 0.125, factor: 2, count: 12 }),
})

export const showPending = (count: number) => Metric.update(pendingNow, count)
export const countSeen = (count: number) => Metric.update(seen, count)
export const countDropped = (count: number) => Metric.update(dropped, count)
export const countConfirmed = (waitedMillis: ReadonlyArray<number>) =>
  Effect.andThen(
    Metric.update(confirmed, waitedMillis.length),
    Effect.forEach(waitedMillis, (millis) => Metric.update(waits, Math.max(0, millis) / 1000), { discard: true }),
  )
