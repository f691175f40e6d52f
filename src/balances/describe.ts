import type { Difference } from "./model.ts"

export const describeDifference = ({ wallet, token_id, ledger, node }: Difference): string =>
  `${wallet} token ${token_id}: ${ledger} instead of ${node}`

/** The figures of a comparison in one sentence. */
export const describeFigures = (figures: {
  readonly block: number | null
  readonly wallets: number
  readonly compared: number
  readonly differences: number
}): string => {
  const { block, wallets, compared, differences } = figures
  const balances = `${compared} balances of ${wallets} wallets`
  return differences === 0
    ? `${balances} match the node at block ${block}`
    : `${differences} of ${balances} differ from the node at block ${block}`
}
