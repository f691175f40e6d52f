import { Effect } from "effect"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { RollupsAdvance } from "#src/rollups/contracts.ts"

export const rollups = jobWorker(RollupsAdvance, () =>
  Effect.mapError(advanceRollups, (error) => new Retryable({ reason: describe(error) })),
)
