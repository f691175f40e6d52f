import { Effect } from "effect"
import { checkBalances } from "#src/balances/check.ts"
import { BalancesCheck } from "#src/balances/contracts.ts"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"

export const balances = jobWorker(BalancesCheck, () => Effect.mapError(checkBalances, retryable))
