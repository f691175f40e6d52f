import { hash } from "../random.ts"
import type { Millis, Wallet } from "../world/model.ts"
import type { Ledger } from "./Ledger.ts"

const day = 86_400_000

/** Who chose no name is called by address and the time of joining. */
export const nameOf = ({ sim }: Ledger, { name, address }: Wallet): string =>
  name ?? `${address}-${sim.made.world.start}`

export const isVerified = ({ index }: Wallet): boolean => hash(index, 18) % 50 === 0

export const xUsernameOf = ({ index, name }: Wallet): string =>
  name !== undefined && hash(index, 17) % 5 === 0 ? name : ""

export const joinedAt = ({ sim }: Ledger, { index }: Wallet): Millis =>
  sim.made.world.start - (hash(index, 16) % 400) * day

/** How a person is shown next to what they did. */
export const personFields = (ledger: Ledger, wallet: Wallet) => ({
  name: nameOf(ledger, wallet),
  pseudonym: wallet.pseudonym,
  bio: "",
  profileImage: "",
  profileImageOptimized: "",
})
