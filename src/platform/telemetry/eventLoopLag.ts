import { monitorEventLoopDelay } from "node:perf_hooks"
import { type Duration, Effect, Layer, Metric, Schedule } from "effect"
import { Health } from "./Health.ts"

const lag = Metric.gauge("presage_event_loop_lag_seconds", {
  description: "Longest delay of the event loop in the last seconds",
})

const resolutionMillis = 50

/** Checks of other dependencies have a second: with half of it lost here, their failures say nothing about them. */
const tooLateMillis = 500

/** Measures how late the event loop is. A process that is late most of the time is not ready, and says why. */
export const eventLoopLag = (every: Duration.Input = "5 seconds") =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const health = yield* Health
      const delays = monitorEventLoopDelay({ resolution: resolutionMillis })
      yield* Effect.acquireRelease(
        Effect.sync(() => delays.enable()),
        () => Effect.sync(() => delays.disable()),
      )
      // The histogram has whole intervals, not only their delays.
      const lateBy = (nanos: number) => Math.max(0, nanos / 1_000_000 - resolutionMillis)
      let typical = 0
      const once = Effect.suspend(() => {
        typical = lateBy(delays.percentile(50))
        const longest = lateBy(delays.max)
        delays.reset()
        return Metric.update(lag, longest / 1000)
      })
      yield* Effect.forkScoped(Effect.repeat(Effect.andThen(Effect.sleep(every), once), Schedule.forever))
      yield* health.register(
        "event_loop",
        Effect.suspend(() =>
          typical < tooLateMillis
            ? Effect.succeed(undefined)
            : Effect.fail(`this process cannot keep up: everything in it is ${Math.round(typical)} ms late`),
        ),
      )
    }),
  )
