import { Effect, Metric } from "effect"

const pendingNow = Metric.gauge("presage_settlements_pending", {
  description: "Settlements that are neither confirmed nor dropped",
})
const seen = Metric.counter("presage_settlements_seen_total", {
  description: "Matches seen before their block",
  incremental: true,
})
const confirmed = Metric.counter("presage_settlements_confirmed_total", {
  description: "Settlements confirmed by a block",
  incremental: true,
})
const dropped = Metric.counter("presage_settlements_dropped_total", {
  description: "Settlements dropped because their block did not arrive in time",
  incremental: true,
})
const waits = Metric.histogram("presage_settlements_confirmation_seconds", {
  description: "Time from seeing a match to its block being in the ledger",
  boundaries: Metric.exponentialBoundaries({ start: 0.125, factor: 2, count: 12 }),
})

export const setPending = (count: number) => Metric.update(pendingNow, count)
export const countSeen = (count: number) => Metric.update(seen, count)
export const countDropped = (count: number) => Metric.update(dropped, count)
export const countConfirmed = (waitedMillis: ReadonlyArray<number>) =>
  Effect.andThen(
    Metric.update(confirmed, waitedMillis.length),
    Effect.forEach(waitedMillis, (millis) => Metric.update(waits, Math.max(0, millis) / 1000), { discard: true }),
  )
