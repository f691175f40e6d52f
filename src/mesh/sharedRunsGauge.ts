import { Effect, Layer, Metric, Schedule } from "effect"
import { makeSharedRunStore } from "./shared-runs/SharedRunStore.ts"

const bytes = Metric.gauge("presage_flights_bytes", {
  description: "Bytes that shared runs hold in Redis, including finished runs that are kept",
})

/** Reports the bytes that shared runs hold as a metric. */
export const sharedRunsGauge = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* makeSharedRunStore
    const measure = Effect.flatMap(store.bytes, (held) => Metric.update(bytes, held))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced("10 seconds")))
  }),
)
