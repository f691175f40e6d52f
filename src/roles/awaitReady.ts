import { type Duration, Effect, Option, Schedule } from "effect"
import { Health } from "#src/platform/telemetry/Health.ts"

/** Waits until every dependency of this process is up, but not for longer than this. */
export const awaitReady = Effect.fnUntraced(function* (within: Duration.Input) {
  const { report } = yield* Health
  const ready = yield* Effect.repeat(report, {
    until: ({ status }) => status === "ready",
    schedule: Schedule.spaced("50 millis"),
  }).pipe(Effect.timeoutOption(within))
  if (Option.isSome(ready)) return
  const { dependencies } = yield* report
  const down = Object.entries(dependencies).flatMap(([name, { state, detail }]) =>
    state === "up" ? [] : [`${name}: ${detail}`],
  )
  if (down.length > 0) yield* Effect.logWarning(`going on although this is not ready: ${down.join("; ")}`)
})
