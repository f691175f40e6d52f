import { Effect } from "effect"
import type { Hex } from "viem"
import type { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import {
  depositOwnerIn,
  isKeyCode,
  isProxyWalletCode,
  type OwnedWallet,
  walletsOf,
} from "#src/upstream/chain/wallets.ts"
import type { Identity } from "./model.ts"

type Node = Pick<ChainNode["Service"], "codes" | "safeOwners">

const noKeyOfProxy =
  "The chain does not record which key owns a proxy wallet, so the key and its other wallets are not known."
const unprovenOwner =
  "This contract is not the wallet that the venue deploys for the owner it names, so its key is not known."
const otherContract = "This is a contract, but not a wallet of the venue."

const deployed = (wallets: ReadonlyArray<OwnedWallet>, codes: ReadonlyArray<Hex>) =>
  wallets.map((wallet, i) => ({ ...wallet, isDeployed: !isKeyCode(codes[i] ?? "0x") }))

/** More than any Safe of the venue has; a contract may return a list of any length. */
const maxOwners = 20

/** Finds the key behind an address and the key's wallets, as far as the chain tells. */
export const identify = Effect.fn("resolve.identify")(function* (node: Node, address: Hex) {
  const own = walletsOf(address)
  const [code = "0x", ...codes] = yield* node.codes([address, ...own.map((wallet) => wallet.address)])
  if (isKeyCode(code)) return { key: address, wallets: deployed(own, codes), gaps: [] } satisfies Identity
  if (isProxyWalletCode(code)) {
    return {
      key: undefined,
      wallets: [{ address, type: "proxy_wallet", isDeployed: true }],
      gaps: [noKeyOfProxy],
    } satisfies Identity
  }

  const inCode = depositOwnerIn(code)
  const owners = (inCode === undefined ? yield* node.safeOwners(address) : [inCode]) ?? []
  // A contract may claim any owner; the address proves it.
  const owner = owners.slice(0, maxOwners).find((key) => walletsOf(key).some((wallet) => wallet.address === address))
  if (owner !== undefined) {
    const wallets = walletsOf(owner)
    const all = yield* node.codes(wallets.map((wallet) => wallet.address))
    return { key: owner, wallets: deployed(wallets, all), gaps: [] } satisfies Identity
  }
  return { key: undefined, wallets: [], gaps: [owners.length === 0 ? otherContract : unprovenOwner] } satisfies Identity
})
