import { hash } from "../random.ts"
import type { Wallet } from "../world/model.ts"
import type { Query } from "./Query.ts"
import { found, Refusal } from "./refusal.ts"
import { iso } from "./times.ts"
import type { View } from "./View.ts"

const day = 86_400_000

export const profileJson = (view: View, { index, address, name, pseudonym }: Wallet) => ({
  createdAt: iso(view.sim.made.world.start - (hash(index, 16) % 400) * day),
  proxyWallet: address,
  profileImage: "",
  displayUsernamePublic: name !== undefined,
  bio: "",
  pseudonym,
  // Who chose no name is called by address and the time of joining.
  name: name ?? `${address}-${view.sim.made.world.start}`,
  users: [{ id: String(1_000_000 + index), creator: false, mod: false }],
  xUsername: name !== undefined && hash(index, 17) % 5 === 0 ? name : undefined,
  verifiedBadge: hash(index, 18) % 50 === 0,
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
