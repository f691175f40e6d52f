import type { Wallet } from "../world/model.ts"
import { displayNameOf } from "../world/people.ts"
import type { Ledger } from "./Ledger.ts"

export const nameOf = ({ sim }: Ledger, wallet: Wallet): string => displayNameOf(wallet, sim.made.world.start)

/** How a person is shown next to what they did. */
export const personFields = (ledger: Ledger, wallet: Wallet) => ({
  name: nameOf(ledger, wallet),
  pseudonym: wallet.pseudonym,
  bio: "",
  profileImage: "",
  profileImageOptimized: "",
})
