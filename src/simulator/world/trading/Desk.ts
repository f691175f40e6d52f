import type { Dice } from "../../random.ts"
import type { Facts } from "../Facts.ts"
import type { Millis } from "../model.ts"
import type { Level } from "../orderBook.ts"
import type { Market, Venue } from "../Venue.ts"

export const usd = 1_000_000

/** Where the traders' actions are written down. */
export interface Desk {
  readonly venue: Venue
  readonly facts: Facts
  readonly dice: Dice
  /** Wallets below this index make markets. */
  readonly makers: number
  readonly wallets: number
  readonly builders: number
  /** From here on the second exchange settles, in the second collateral. */
  readonly cutOver: Millis
  /** The block that will take a transaction of this moment. */
  readonly blockFor: (at: Millis) => number
  /** What somebody who takes an outcome meets, best price first. */
  readonly metBy: (market: Market, outcome: 0 | 1, buys: boolean, at: Millis) => Iterable<Level>
  /** Wallets that let the exchange of combos move what they own. */
  readonly approvedCombos: Set<number>
}

/** Few wallets trade a lot, most a little. */
export const someWallet = ({ dice, makers, wallets }: Desk): number => {
  const u = dice.unit()
  return makers + Math.floor((wallets - makers) * u * u * u)
}

/** The first maker is everywhere. */
export const someMaker = ({ dice, makers }: Desk): number => (dice.chance(0.3) ? 0 : dice.below(makers))
