import { Dice, hexOf, seedOf } from "../random.ts"
import type { Behaviour, Wallet, WalletKind } from "./model.ts"

const adjectives = ["Quick", "Silent", "Golden", "Lucky", "Bold", "Patient", "Clever", "Hidden", "Merry", "Stern"]
const animals = ["Otter", "Falcon", "Badger", "Heron", "Lynx", "Marten", "Raven", "Tapir", "Viper", "Wolf"]

const kinds: ReadonlyArray<WalletKind> = ["proxy", "proxy", "proxy", "safe", "safe", "deposit", "deposit", "eoa"]

/** The first few make markets; after that it gets less and less busy. */
const behaviourOf = (index: number, count: number, dice: Dice): Behaviour => {
  if (index < Math.max(3, Math.floor(count * 0.015))) return "maker"
  if (index < count * 0.03) return "whale"
  if (index < count * 0.08) return "bot"
  return dice.chance(0.35) ? "one-timer" : "taker"
}

/** The people of the world. `addressOf` tells where the factories put an owner's wallet. */
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

export const makersOf = (wallets: ReadonlyArray<Wallet>): number =>
  wallets.findIndex(({ behaviour }) => behaviour !== "maker")

/** Where the wallets of a behaviour begin and end; those of one kind stand side by side. */
export const placesOf = (wallets: ReadonlyArray<Wallet>, behaviour: Behaviour): readonly [number, number] => {
  const first = wallets.findIndex((wallet) => wallet.behaviour === behaviour)
  return first < 0 ? [0, 0] : [first, wallets.findLastIndex((wallet) => wallet.behaviour === behaviour) + 1]
}
