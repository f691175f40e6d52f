import {
  adapters,
  address,
  autoRedeemers,
  exchanges,
  feeModules,
  ledgers,
  modules,
} from "#src/upstream/chain/contracts.ts"

/** Receives tokens that are burned by convention. */
const deadAddress = "000000000000000000000000000000000000dead"

/** They pass on the tokens of a wallet within a transaction; the contracts' events name them instead of the wallet. */
export const relays: ReadonlySet<string> = new Set([...adapters, ...modules, ...autoRedeemers, address.router])

/** Contracts that hold tokens for others, for the venue or for nobody. They are no wallets and have no positions. */
export const intermediaries: ReadonlySet<string> = new Set([
  ...relays,
  ...exchanges,
  ...ledgers,
  ...feeModules,
  address.zero,
  address.noBurn,
  address.negRiskVault,
  deadAddress,
])
