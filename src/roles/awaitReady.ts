import { type Duration, Effect, Schedule } from "effect"
import { Health } from "#src/platform/telemetry/Health.ts"

/** Waits until every dependency of this process is up, but not for longer than this. */
export const awaitReady = Effect.fnUntraced(function* (within: Duration.Input) {
  const health = yield* Health
  yield* Effect.repeat(health.report, {
    until: ({ status }) => status === "ready",
    schedule: Schedule.spaced("50 millis"),
  }).pipe(Effect.timeoutOption(within))
})
