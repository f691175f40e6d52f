import { BalancesCheck } from "#src/balances/contracts.ts"
import { balancesEvery } from "#src/balances/settings.ts"
import type { Duty } from "#src/mesh/Duty.ts"

/** Its cadence is declared in src, because the status depends on it. */
export const balances: Duty<object> = { name: "balances", job: BalancesCheck, payload: {}, every: balancesEvery }
