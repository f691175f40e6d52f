import type { Hex } from "viem"
import type { Account, Identity } from "./model.ts"

/** What the venue says about a user. */
export interface KnownUser {
  readonly name: string | undefined
  readonly wallet: Hex
}

/**
 * The account of an address. A deployed deposit wallet is the one in use; otherwise the one in the user's profile, even
 * before it is deployed, or else any that is deployed. Without one, the key trades by itself.
 */
export const accountOf = (address: Hex, { key, wallets, gaps }: Identity, user: KnownUser | undefined): Account => {
  const deployed = wallets.filter(({ isDeployed }) => isDeployed)
  const current =
    deployed.find(({ type }) => type === "deposit_wallet") ??
    wallets.find((wallet) => wallet.address === user?.wallet) ??
    deployed[0]
  const unproven =
    key !== undefined && deployed.length === 0
      ? ["No contract is deployed for this address, so it may also be a wallet that is not deployed yet."]
      : []
  return {
    trader: current?.address ?? address,
    type: current?.type ?? (key === undefined ? "contract" : "eoa"),
    key,
    username: user?.name,
    wallets,
    gaps: [...gaps, ...unproven],
  }
}
