import type { Dice } from "../../random.ts"
import type { Facts } from "../Facts.ts"
import type { Behaviour, Millis } from "../model.ts"
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
  readonly behaviours: ReadonlyArray<Behaviour>
  /** Places where the whales and the bots begin and end. */
  readonly whales: readonly [number, number]
  readonly bots: readonly [number, number]
  /** Those who trade once and have done so. */
  readonly gone: Set<number>
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

const oneOf = ({ dice }: Desk, [first, end]: readonly [number, number]): number => first + dice.below(end - first)

/** Bots live in the short windows, whales show up now and then, and some people try it once and never again. */
export const someTaker = (desk: Desk, market: Market): number => {
  const { dice, behaviours, gone, whales, bots } = desk
  if (dice.chance(0.04) && whales[1] > whales[0]) return oneOf(desk, whales)
  if (dice.chance(market.plan.rule.kind === "updown" ? 0.6 : 0.1) && bots[1] > bots[0]) return oneOf(desk, bots)
  for (let tries = 0; tries < 8; tries++) {
    const wallet = someWallet(desk)
    if (behaviours[wallet] !== "one-timer") return wallet
    if (gone.has(wallet)) continue
    gone.add(wallet)
    return wallet
  }
  return oneOf(desk, bots[1] > bots[0] ? bots : [desk.makers, desk.wallets])
}

/** How much somebody usually wants, relative to others. */
export const appetiteOf = ({ behaviours }: Desk, wallet: number): number => {
  const behaviour = behaviours[wallet]
  return behaviour === "whale" ? 12 : behaviour === "bot" ? 0.25 : behaviour === "one-timer" ? 0.1 : 1
}
