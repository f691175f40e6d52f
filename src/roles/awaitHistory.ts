import { Effect, Schedule } from "effect"
import { type LedgerProgress, Progress, percentOf } from "#src/ledger/Progress.ts"
import { overwriteLine, progressBar } from "#src/platform/process/progressBar.ts"

const lineOf = (ledger: LedgerProgress, perSecond: number): string => {
  const left = perSecond > 0 ? Math.ceil((ledger.head - ledger.block) / perSecond) : undefined
  const rest = left === undefined ? "" : `  ${left} s left`
  return `history  ${progressBar(percentOf(ledger) / 100)}  ${Math.round(perSecond).toLocaleString("en")} blocks/s${rest}`
}

/** Waits until the ledger has its history, and shows the progress on a terminal. */
export const awaitHistory = Effect.gen(function* () {
  const progress = yield* Progress
  const isTerminal = process.stderr.isTTY === true
  const since = performance.now()
  let from: number | undefined
  const check = Effect.gen(function* () {
    const ledger = yield* Effect.orElseSucceed(progress.ledger, () => undefined)
    if (ledger === undefined) return false
    from ??= ledger.block
    const perSecond = (ledger.block - from) / Math.max(0.001, (performance.now() - since) / 1000)
    if (isTerminal && !ledger.hasCaughtUp) overwriteLine(lineOf(ledger, perSecond))
    return ledger.hasCaughtUp
  })
  yield* Effect.repeat(check, { until: (complete) => complete, schedule: Schedule.spaced("200 millis") })
  if (isTerminal) overwriteLine("")
})
