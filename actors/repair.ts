import { Effect } from "effect"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { RepairRun } from "#src/repair/contracts.ts"
import { perform } from "#src/repair/runs/perform.ts"
import { finish } from "#src/repair/runs/RunStore.ts"

/** Checks and repairs of the ledger, in a worker. */
export const repair = jobWorker(RepairRun, ({ run }) => Effect.mapError(perform(run), retryable), {
  onFailed: ({ run }, error) =>
    Effect.flatMap(Postgres, ({ sql }) => Effect.ignore(finish(sql, run, { state: "failed", error }))),
})
