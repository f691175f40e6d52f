import { hash } from "../random.ts"
import type { Millis, Wallet } from "./model.ts"

const day = 86_400_000

/** Who chose no name is called by address and a moment. */
export const displayNameOf = ({ name, address }: Wallet, start: Millis): string => name ?? `${address}-${start}`

export const isVerified = ({ index }: Wallet): boolean => hash(index, 18) % 50 === 0

/** The account on the other platform, where one is known. */
export const xUsernameOf = ({ index, name }: Wallet): string | undefined =>
  name !== undefined && hash(index, 17) % 5 === 0 ? name : undefined

/** Everybody came before the world's history begins. */
export const joinedAt = ({ index }: Wallet, start: Millis): Millis => start - (hash(index, 16) % 400) * day
