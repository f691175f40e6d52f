import { payoutOf } from "../world/Books.ts"
import { Act } from "../world/Facts.ts"
import type { Micro } from "../world/model.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { EntryOf } from "./History.ts"
import type { Ledger } from "./Ledger.ts"

/** A position as the service shows it. Amounts are whole numbers of 10⁻⁶. */
export interface Holding {
  readonly position: number
  readonly wallet: number
  readonly token: Token
  readonly shares: Micro
  /** What the shares cost that are still there, with fees. */
  readonly cost: Micro
  readonly realized: Micro
  readonly bought: Micro
  /** Of a share now, 0 to 1. */
  readonly price: number
}

export const isResolved = ({ token }: Holding): boolean => token.market.payouts !== undefined

/** Chance of an outcome as it is quoted, or what it paid. */
export const priceOf = ({ sim }: Ledger, { market, outcome }: Token): number => {
  if (market.payouts !== undefined) {
    const [first, second] = market.payouts
    return market.payouts[outcome] / (first + second)
  }
  const { bid, ask } = sim.made.world.quotesAt(market, sim.now())
  return (outcome === 0 ? bid + ask : 2000 - bid - ask) / 2000
}

/** Positions out of the books, which are at most a few blocks ahead of the chain. */
export class Holdings {
  readonly #ledger: Ledger
  readonly #resolveActs = new Map<number, number>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /**
   * The books realize a holding when its market is resolved; the service does so when it is redeemed, and until then
   * shows it with what it cost.
   */
  of(position: number): Holding {
    const { books } = this.#ledger
    const token = this.#ledger.token(books.tokenOf.get(position))
    const shares = books.shares.get(position)
    const { payouts } = token.market
    const early = shares > 0 && payouts !== undefined ? this.#realizedByResolution(position, token.market) : undefined
    const payout = payouts === undefined ? 0 : payoutOf(shares, payouts[token.outcome], payouts[0] + payouts[1])
    return {
      position,
      wallet: books.walletOf.get(position),
      token,
      shares,
      cost: early === undefined ? books.cost.get(position) : payout - early,
      realized: books.realized.get(position) - (early ?? 0),
      bought: books.bought.get(position),
      price: priceOf(this.#ledger, token),
    }
  }

  *ofWallet(wallet: number): Iterable<number> {
    if (wallet >= 0) yield* this.#ledger.books.positionsOf(wallet)
  }

  *ofMarket({ tokens }: Market): Iterable<number> {
    for (const token of tokens) yield* this.#ledger.books.holdersOf(token)
  }

  /** Whether anybody held or dealt in it; what only passed through by transfers is no position. */
  isReal(position: number): boolean {
    const { shares, bought, sold } = this.#ledger.books
    return shares.get(position) > 0 || bought.get(position) > 0 || sold.get(position) > 0
  }

  isCombo(position: number): boolean {
    return this.#ledger.token(this.#ledger.books.tokenOf.get(position)).market.legs !== undefined
  }

  /** Combos have routes of their own. */
  isListed(position: number): boolean {
    return this.isReal(position) && !this.isCombo(position)
  }

  holdsBoth(wallet: number, { tokens }: Market): boolean {
    return tokens.every((token) => this.#ledger.books.held(wallet, token) > 0)
  }

  #realizedByResolution(position: number, market: Market): Micro | undefined {
    const { eventAct, eventPosition, eventAmount } = this.#ledger.books
    const act = this.#resolveActOf(market.index)
    for (let event = eventAct.lowerBound(act); event < eventAct.length && eventAct.get(event) === act; event++) {
      if (eventPosition.get(event) === position) return eventAmount.get(event)
    }
    return undefined
  }

  #resolveActOf(market: number): number {
    const known = this.#resolveActs.get(market)
    if (known !== undefined) return known
    const { facts } = this.#ledger
    for (const act of facts.byMarket.of(market)) {
      if (facts.kind.get(act) !== Act.resolve) continue
      this.#resolveActs.set(market, act)
      return act
    }
    return facts.length
  }
}

/** What a share cost on average: those that are there, or all that were ever bought once none are left. */
export const averagePrice = ({ shares, cost, wallet, token }: Holding, entryOf: EntryOf): number => {
  if (shares > 0) return cost / shares
  const { bought, paid } = entryOf(wallet, token.index)
  return bought === 0 ? 0 : paid / bought
}

/** In seconds; 0 when nothing is known of it. */
export const lastEventAt = (ledger: Ledger, { wallet, token }: Holding, entryOf: EntryOf): number => {
  const { lastAct } = entryOf(wallet, token.index)
  // The act may be on its way into a block that is yet to be made.
  return lastAct < 0 ? 0 : Math.min(ledger.timeOf(lastAct), ledger.seconds)
}
