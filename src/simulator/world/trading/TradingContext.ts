import type { Dice } from "../../random.ts"
import { type Facts, TxKind } from "../Facts.ts"
import type { Behaviour, Micro, Millis } from "../model.ts"
import type { Level } from "../orderBook.ts"
import type { Market, Venue } from "../Venue.ts"

export const usd = 1_000_000

/** State shared by all trading functions. */
export interface TradingContext {
  readonly venue: Venue
  readonly facts: Facts
  readonly dice: Dice
  /** Wallets below this index are market makers. */
  readonly makers: number
  readonly wallets: number
  readonly behaviours: ReadonlyArray<Behaviour>
  /** Index ranges [first, end) of the whales and the bots. */
  readonly whales: readonly [number, number]
  readonly bots: readonly [number, number]
  /** One-timers that have traded. */
  readonly finishedOneTimers: Set<number>
  readonly builders: number
  /** From this moment the second exchange settles, in the second collateral. */
  readonly cutOver: Millis
  /** The block that will include a transaction of this moment. */
  readonly blockFor: (at: Millis) => number
  /** The levels that a taker of an outcome trades against, best price first. */
  readonly opposingLevels: (market: Market, outcome: 0 | 1, buys: boolean, at: Millis) => Iterable<Level>
  /** Wallets that approved the combo exchange. */
  readonly approvedCombos: Set<number>
}

/** Few wallets trade a lot, most a little. */
export const pickWallet = ({ dice, makers, wallets }: TradingContext): number => {
  const u = dice.unit()
  return makers + Math.floor((wallets - makers) * u * u * u)
}

/** The first maker is the most active. */
export const pickMaker = ({ dice, makers }: TradingContext): number => (dice.chance(0.3) ? 0 : dice.below(makers))

const pickIn = ({ dice }: TradingContext, [first, end]: readonly [number, number]): number =>
  first + dice.below(end - first)

/** Bots prefer the short windows, whales are rare, and one-timers trade only once. */
export const pickTaker = (context: TradingContext, market: Market): number => {
  const { dice, behaviours, finishedOneTimers, whales, bots } = context
  if (dice.chance(0.04) && whales[1] > whales[0]) return pickIn(context, whales)
  if (dice.chance(market.plan.rule.kind === "updown" ? 0.6 : 0.1) && bots[1] > bots[0]) return pickIn(context, bots)
  for (let tries = 0; tries < 8; tries++) {
    const wallet = pickWallet(context)
    if (behaviours[wallet] !== "one-timer") return wallet
    if (finishedOneTimers.has(wallet)) continue
    finishedOneTimers.add(wallet)
    return wallet
  }
  return pickIn(context, bots[1] > bots[0] ? bots : [context.makers, context.wallets])
}

/** Typical order size relative to others. */
export const sizeFactor = ({ behaviours }: TradingContext, wallet: number): number => {
  const behaviour = behaviours[wallet]
  return behaviour === "whale" ? 12 : behaviour === "bot" ? 0.25 : behaviour === "one-timer" ? 0.1 : 1
}

/** Cash available for trading; after the cut-over, only what was migrated. */
const spendable = ({ venue, cutOver }: TradingContext, wallet: number, at: Millis): Micro => {
  const { cash, legacyCash } = venue.books
  return at < cutOver ? cash.get(wallet) : cash.get(wallet) - legacyCash.get(wallet)
}

/** Converts all of a wallet's first collateral into the second, when it is first needed. */
const migrate = (context: TradingContext, wallet: number, at: Millis): void => {
  const { books } = context.venue
  const amount = books.legacyCash.get(wallet)
  if (amount === 0) return
  context.facts.add({ kind: TxKind.migrate, block: context.blockFor(at), at, wallet, market: -1, amount })
  books.legacyCash.set(wallet, 0)
}

/** Deposits collateral if a wallet has less than it needs. */
export const fund = (context: TradingContext, wallet: number, needed: Micro, at: Millis): void => {
  const { books } = context.venue
  if (spendable(context, wallet, at) >= needed) return
  if (at >= context.cutOver) migrate(context, wallet, at)
  if (spendable(context, wallet, at) >= needed) return
  const amount = Math.ceil((needed * 5) / (100 * usd)) * 100 * usd
  context.facts.add({ kind: TxKind.wrap, block: context.blockFor(at), at, wallet, market: -1, amount })
  books.deposit(wallet, amount)
}

/** Withdraws collateral from the venue. */
export const withdraw = (context: TradingContext, at: Millis): boolean => {
  const wallet = pickWallet(context)
  const amount = Math.floor(spendable(context, wallet, at) / (2 * usd)) * usd
  if (amount < 10 * usd) return false
  context.facts.add({ kind: TxKind.unwrap, block: context.blockFor(at), at, wallet, market: -1, amount })
  context.venue.books.withdraw(wallet, amount)
  return true
}
