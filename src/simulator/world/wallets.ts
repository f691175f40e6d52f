import { Dice, hash, hexOf, seedOf } from "../random.ts"
import type { Behaviour, Millis, Wallet, WalletKind } from "./model.ts"

const day = 86_400_000

const adjectives = ["Quick", "Silent", "Golden", "Lucky", "Bold", "Patient", "Clever", "Hidden", "Merry", "Stern"]
const animals = ["Otter", "Falcon", "Badger", "Heron", "Lynx", "Marten", "Raven", "Tapir", "Viper", "Wolf"]

const kinds: ReadonlyArray<WalletKind> = ["proxy", "proxy", "proxy", "safe", "safe", "deposit", "deposit", "eoa"]

/** The first wallets are market makers; activity falls with the index. */
const behaviourOf = (index: number, count: number, dice: Dice): Behaviour => {
  if (index < Math.max(3, Math.floor(count * 0.015))) return "maker"
  if (index < count * 0.03) return "whale"
  if (index < count * 0.08) return "bot"
  return dice.chance(0.35) ? "one-timer" : "taker"
}

/** `addressOf` is the address at which the factories deploy an owner's wallet. */
export const makeWallets = (
  seed: number,
  count: number,
  addressOf: (owner: string, kind: WalletKind) => string,
): ReadonlyArray<Wallet> => {
  const stream = seedOf(seed, "wallets")
  const dice = new Dice(stream)
  return Array.from({ length: count }, (_, index): Wallet => {
    const owner = `0x${hexOf(20, stream, index)}`
    const kind = dice.pick(kinds)
    const behaviour = behaviourOf(index, count, dice)
    const word = `${dice.pick(adjectives)}${dice.pick(animals)}`
    const named = dice.chance(0.4)
    return {
      index,
      owner,
      kind,
      behaviour,
      address: addressOf(owner, kind),
      name: named ? `${word.toLowerCase()}${index}` : undefined,
      pseudonym: word.replace(/([a-z])([A-Z])/, "$1-$2"),
    }
  })
}

export const makerCount = (wallets: ReadonlyArray<Wallet>): number =>
  wallets.findIndex(({ behaviour }) => behaviour !== "maker")

/** Index range [first, end) of the wallets with a behaviour; they are adjacent. */
export const indexRange = (wallets: ReadonlyArray<Wallet>, behaviour: Behaviour): readonly [number, number] => {
  const first = wallets.findIndex((wallet) => wallet.behaviour === behaviour)
  return first < 0 ? [0, 0] : [first, wallets.findLastIndex((wallet) => wallet.behaviour === behaviour) + 1]
}

/** Wallets without a name are shown as address and timestamp. */
export const displayNameOf = ({ name, address }: Wallet, start: Millis): string => name ?? `${address}-${start}`

export const isVerified = ({ index }: Wallet): boolean => hash(index, 18) % 50 === 0

/** The X account, if known. */
export const xUsernameOf = ({ index, name }: Wallet): string | undefined =>
  name !== undefined && hash(index, 17) % 5 === 0 ? name : undefined

/** All wallets joined before the world's history starts. */
export const joinedAt = ({ index }: Wallet, start: Millis): Millis => start - (hash(index, 16) % 400) * day
