import { type Duration, Effect, Schedule } from "effect"
import { overwriteLine } from "#src/platform/process/progressBar.ts"
import { Health, type HealthReport } from "#src/platform/telemetry/Health.ts"

/** Where no line can be overwritten, what is missing is logged this often. */
const logEveryMillis = 15_000

const missingOf = ({ dependencies }: HealthReport) =>
  Object.entries(dependencies)
    .flatMap(([name, { state, detail }]) => (state === "up" ? [] : [`${name}: ${detail}`]))
    .join("; ")

/** Waits until every dependency of this process is up, and shows what is not. Returns false after `within`. */
export const awaitReady = Effect.fnUntraced(function* (within: Duration.Input) {
  const { report } = yield* Health
  const isTerminal = process.stderr.isTTY === true
  let loggedAt = performance.now()
  const check = Effect.gen(function* () {
    const health = yield* report
    if (health.status === "ready") return true
    const line = `not ready yet: ${missingOf(health)}`
    if (isTerminal) overwriteLine(line.slice(0, (process.stderr.columns || 80) - 1))
    else if (performance.now() - loggedAt > logEveryMillis) {
      loggedAt = performance.now()
      yield* Effect.logInfo(line)
    }
    return false
  })
  const isReady = yield* Effect.repeat(check, { until: (yes) => yes, schedule: Schedule.spaced("250 millis") }).pipe(
    Effect.timeoutOrElse({ duration: within, orElse: () => Effect.succeed(false) }),
  )
  if (isTerminal) overwriteLine("")
  const missing = isReady ? "" : missingOf(yield* report)
  if (missing === "") return true
  yield* Effect.logWarning(`going on although this is not ready: ${missing}`)
  return false
})
