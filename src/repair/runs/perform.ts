import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { redact } from "#src/platform/text/redact.ts"
import { rebuildPositions } from "../rebuild.ts"
import { verifyLedgerWith } from "../verify.ts"
import type { RunKind, RunProgress } from "./model.ts"
import * as RunStore from "./RunStore.ts"

const watchEvery = "500 millis"

/** A job whose worker died starts again. One that kills its worker must not do so for ever. */
const maxStarts = 3

type Report = (progress: RunProgress) => Effect.Effect<void>

const verify = (report: Report) =>
  Effect.map(
    verifyLedgerWith(({ done, steps }) => report({ step: `check ${done + 1} of ${steps}`, progress: done / steps })),
    (checks) => ({ ok: checks.every(({ ok }) => ok), checks }),
  )

const rebuild = (report: Report) =>
  Effect.map(
    rebuildPositions(({ first, last, block }) =>
      report({ step: `block ${block} of ${last}`, progress: (block - first + 1) / (last - first + 1) }),
    ),
    ({ first, last, positions, realizedEvents, differed }) => ({
      from: first,
      to: last,
      positions,
      realized_events: realizedEvents,
      differed: { positions: differed.positions, realized_events: differed.realizedEvents, undo: differed.undo },
    }),
  )

/** A failure is a result too: the run ends with it. */
const ended = <E, R>(work: Effect.Effect<unknown, E, R>): Effect.Effect<RunStore.Ending, never, R> =>
  Effect.match(work, {
    onSuccess: (result) => ({ state: "done", result }),
    onFailure: (error) => ({ state: "failed", error: redact(describe(error)) }),
  })

const workOf = (kind: RunKind, report: Report) => (kind === "verify" ? ended(verify(report)) : ended(rebuild(report)))

/** Runs a check or repair and stores its progress and result. Stops when an operator cancels it. */
export const perform = Effect.fnUntraced(function* (id: string) {
  const { sql } = yield* Postgres
  const run = yield* RunStore.start(sql, id)
  if (run === undefined) return
  if (run.starts > maxStarts) {
    const error = `the worker stopped ${maxStarts} times during it: see its log, it may lack memory`
    return yield* RunStore.finish(sql, id, { state: "failed", error })
  }
  let reached: RunProgress = { step: "starting", progress: 0 }
  const work = workOf(run.kind, (progress) =>
    Effect.sync(() => {
      reached = progress
    }),
  )
  // Outside the transaction of the work, whose writes nobody sees before it commits.
  const untilCancelled = Effect.suspend(() => RunStore.report(sql, id, reached)).pipe(
    // A missed report matters less than the work.
    Effect.orElseSucceed(() => false),
    Effect.delay(watchEvery),
    Effect.repeat({ until: (stop) => stop }),
    Effect.as<RunStore.Ending>({ state: "cancelled" }),
  )
  yield* RunStore.finish(sql, id, yield* Effect.raceFirst(work, untilCancelled))
})
