import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Metric, Schedule } from "effect"
import { eventLoopLag } from "#src/platform/telemetry/eventLoopLag.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { eventually } from "#test/support/eventually.ts"

/** Nothing else runs in this process meanwhile. */
const block = (millis: number) => {
  const until = performance.now() + millis
  while (performance.now() < until);
}

describe("a process that cannot keep up", () => {
  it.live("says so, and is ready again afterwards", () =>
    Effect.gen(function* () {
      const health = yield* Health
      const state = Effect.map(health.report, ({ dependencies }) => dependencies["event_loop"])
      assert.strictEqual((yield* state)?.state, "up")

      const busy = yield* Effect.forkChild(
        Effect.repeat(
          Effect.sync(() => block(700)),
          Schedule.spaced("1 milli"),
        ),
      )
      yield* eventually(
        "not ready",
        Effect.map(state, (found) => found?.state === "down"),
      )
      assert.match((yield* state)?.detail ?? "", /^this process cannot keep up: everything in it is \d+ ms late$/)
      const metrics = yield* Metric.snapshot
      const shown = metrics.find(({ id }) => id === "presage_event_loop_lag_seconds")
      assert.isAbove(shown?.type === "Gauge" ? Number(shown.state.value) : 0, 0.4)

      yield* Fiber.interrupt(busy)
      yield* eventually(
        "ready again",
        Effect.map(state, (found) => found?.state === "up"),
      )
    }).pipe(Effect.provide(Layer.provideMerge(eventLoopLag("300 millis"), Health.layer))),
  )
})
