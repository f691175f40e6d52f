import { Effect, Layer, Metric, Schedule } from "effect"
import { makeFlightStore } from "./shared-runs/FlightStore.ts"

const bytes = Metric.gauge("presage_flights_bytes", {
  description: "Bytes of Redis that flights hold, those included that are over and kept",
})

/** Keeps what flights hold as a metric. */
export const flightsFigure = Layer.effectDiscard(
  Effect.gen(function* () {
    const store = yield* makeFlightStore
    const measure = Effect.flatMap(store.bytes, (held) => Metric.update(bytes, held))
    yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced("10 seconds")))
  }),
)
