import { Effect } from "effect"
import { compareBalances } from "#src/balances/compare.ts"
import { describeDifference, describeFigures } from "#src/balances/describe.ts"
import type { Comparison, Difference } from "#src/balances/model.ts"
import type { Check } from "./Check.ts"

const maxShown = 10

/** With all differences; its detail has the first ones. */
export interface BalancesCheck extends Check {
  readonly differences?: ReadonlyArray<Difference>
}

const checkOf = ({ differences, ...compared }: Comparison): BalancesCheck => {
  const figures = describeFigures({ ...compared, differences: differences.length })
  const shown = differences.slice(0, maxShown).map(describeDifference)
  const rest = differences.length - shown.length
  const list = [...shown, ...(rest > 0 ? [`and ${rest} more, which --json lists`] : [])].join("; ")
  return differences.length === 0
    ? { check: "balances", ok: true, detail: figures }
    : { check: "balances", ok: false, detail: `${figures}: ${list}`, differences }
}

const notCompared = ({ message }: { readonly message: string }): Effect.Effect<BalancesCheck> =>
  Effect.succeed({ check: "balances", ok: false, detail: `not compared: ${message}` })

/** Compares positions of some wallets with their balances on the node. */
export const checkBalances = (wallets: number) =>
  compareBalances(wallets).pipe(
    Effect.map(checkOf),
    Effect.catchTags({
      NotComparable: notCompared,
      StateUnavailable: notCompared,
      UpstreamFailure: notCompared,
      RpcRefusal: notCompared,
    }),
  )
