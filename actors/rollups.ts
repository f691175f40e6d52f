import { Effect } from "effect"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { RollupsAdvance } from "#src/rollups/contracts.ts"

export const rollups = jobWorker(RollupsAdvance, () => Effect.mapError(advanceRollups, retryable))
