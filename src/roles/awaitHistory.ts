import { Effect, Layer, Schedule } from "effect"
import { type LedgerProgress, Progress, percentOf } from "#src/ledger/Progress.ts"
import { overwriteLine, progressBar } from "#src/platform/process/progressBar.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Health } from "#src/platform/telemetry/Health.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"

/** Not ready before the history is there; afterwards one that lags does not take the service away, but one that is halted does. */
export const ledgerCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const progress = yield* Progress
    yield* health.register(
      "ledger",
      Effect.flatMap(Effect.mapError(progress.ledger, describe), (ledger) => {
        if (ledger === undefined) return Effect.fail("the chain has not been reached yet")
        if (ledger.halted !== undefined) return Effect.fail(ledger.halted)
        return ledger.hasCaughtUp
          ? Effect.succeed(`at block ${ledger.block}`)
          : Effect.fail(`reading the history: ${percentOf(ledger)} %, block ${ledger.block} of ${ledger.head}`)
      }),
    )
  }),
)

const lineOf = (ledger: LedgerProgress, perSecond: number): string => {
  const left = perSecond > 0 ? Math.ceil((ledger.head - ledger.block) / perSecond) : undefined
  const rest = left === undefined ? "" : `  ${left} s left`
  return `history  ${progressBar(percentOf(ledger) / 100)}  ${Math.round(perSecond).toLocaleString("en")} blocks/s${rest}`
}

/** Waits until the history is in the ledger, and shows how it comes along to whoever watches a terminal. */
export const awaitHistory = Effect.gen(function* () {
  const { rpc } = yield* Endpoints
  // Without a node there is nothing to wait for; the follower says so in the log.
  if (rpc === undefined) return
  const progress = yield* Progress
  const isWatched = process.stderr.isTTY === true
  const since = performance.now()
  let from: number | undefined
  const look = Effect.gen(function* () {
    const ledger = yield* Effect.orElseSucceed(progress.ledger, () => undefined)
    if (ledger === undefined) return false
    from ??= ledger.block
    const perSecond = (ledger.block - from) / Math.max(0.001, (performance.now() - since) / 1000)
    if (isWatched && !ledger.hasCaughtUp) overwriteLine(lineOf(ledger, perSecond))
    return ledger.hasCaughtUp
  })
  yield* Effect.repeat(look, { until: (there) => there, schedule: Schedule.spaced("200 millis") })
  if (isWatched) overwriteLine("")
})
