import { Effect } from "effect"
import { checkBalances } from "#src/balances/check.ts"
import { BalancesCheck } from "#src/balances/contracts.ts"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

export const balances = jobWorker(BalancesCheck, () =>
  Effect.mapError(checkBalances, (error) => new Retryable({ reason: describe(error) })),
)
