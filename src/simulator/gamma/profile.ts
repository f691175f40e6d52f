import type { Wallet } from "../world/model.ts"
import { displayNameOf, isVerified, joinedAt, xUsernameOf } from "../world/people.ts"
import type { Query } from "./Query.ts"
import { found, Refusal } from "./refusal.ts"
import { iso } from "./times.ts"
import type { View } from "./View.ts"

export const profileJson = (view: View, wallet: Wallet) => ({
  createdAt: iso(joinedAt(wallet, view.sim.made.world.start)),
  proxyWallet: wallet.address,
  profileImage: "",
  displayUsernamePublic: wallet.name !== undefined,
  bio: "",
  pseudonym: wallet.pseudonym,
  name: displayNameOf(wallet, view.sim.made.world.start),
  users: [{ id: String(1_000_000 + wallet.index), creator: false, mod: false }],
  xUsername: xUsernameOf(wallet),
  verifiedBadge: isVerified(wallet),
})

/** Profiles by the address of the wallet or of the key that owns it. */
export const profilesOf = (view: View) => {
  const byAddress = new Map<string, Wallet>()
  for (const wallet of view.sim.made.wallets) {
    byAddress.set(wallet.owner.toLowerCase(), wallet)
    byAddress.set(wallet.address.toLowerCase(), wallet)
  }
  return (query: Query) => {
    const address = query.text("address")?.toLowerCase() ?? ""
    if (!/^0x[0-9a-f]{40}$/.test(address)) throw new Refusal(400, "invalid address")
    return profileJson(view, found(byAddress.get(address), "profile"))
  }
}
