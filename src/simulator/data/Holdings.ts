import { payoutOf } from "../world/Books.ts"
import type { Micro } from "../world/model.ts"
import type { Market, Token } from "../world/Venue.ts"
import type { PositionHistoryOf } from "./History.ts"
import type { Ledger } from "./Ledger.ts"

/** A position as the API reports it. Amounts are in millionths. */
export interface Holding {
  readonly position: number
  readonly wallet: number
  readonly token: Token
  readonly shares: Micro
  /** Cost of the shares still held, including fees. */
  readonly cost: Micro
  readonly realized: Micro
  readonly bought: Micro
  /** Current price of a share, 0 to 1. */
  readonly price: number
}

export const isResolved = ({ token }: Holding): boolean => token.market.payouts !== undefined

/** The midpoint of an outcome, or its payout after resolution. */
export const priceOf = ({ sim }: Ledger, { market, outcome }: Token): number => {
  if (market.payouts !== undefined) {
    const [first, second] = market.payouts
    return market.payouts[outcome] / (first + second)
  }
  const { bid, ask } = sim.model.world.quotesAt(market, sim.now())
  return (outcome === 0 ? bid + ask : 2000 - bid - ask) / 2000
}

/** Positions from the books, which may be a few blocks ahead of the chain. */
export class Holdings {
  readonly #ledger: Ledger

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** The books realize a holding at resolution. The API does so at redemption, and until then reports its cost. */
  of(position: number): Holding {
    const { books } = this.#ledger
    const token = this.#ledger.token(books.tokenOf.get(position))
    const shares = books.shares.get(position)
    const { payouts } = token.market
    const unredeemed =
      shares > 0 && payouts !== undefined ? this.#realizedByResolution(position, token.market) : undefined
    const payout = payouts === undefined ? 0 : payoutOf(shares, payouts[token.outcome], payouts[0] + payouts[1])
    return {
      position,
      wallet: books.walletOf.get(position),
      token,
      shares,
      cost: unredeemed === undefined ? books.cost.get(position) : payout - unredeemed,
      realized: books.realized.get(position) - (unredeemed ?? 0),
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

  /** Whether it was held or traded. Shares that were only received and passed on are not a position. */
  isPosition(position: number): boolean {
    const { shares, bought, sold } = this.#ledger.books
    return shares.get(position) > 0 || bought.get(position) > 0 || sold.get(position) > 0
  }

  #market(position: number): Market {
    return this.#ledger.token(this.#ledger.books.tokenOf.get(position)).market
  }

  isCombo(position: number): boolean {
    return this.#market(position).isCombo
  }

  /** Combos have separate routes, and what the newer contracts call a market has none. */
  isListed(position: number): boolean {
    return this.isPosition(position) && this.#market(position).legs === undefined
  }

  holdsBoth(wallet: number, { tokens }: Market): boolean {
    return tokens.every((token) => this.#ledger.books.held(wallet, token) > 0)
  }

  #realizedByResolution(position: number, market: Market): Micro | undefined {
    const { eventTx, eventPosition, eventAmount } = this.#ledger.books
    const tx = market.resolvedBy ?? this.#ledger.facts.length
    for (let event = eventTx.lowerBound(tx); event < eventTx.length && eventTx.get(event) === tx; event++) {
      if (eventPosition.get(event) === position) return eventAmount.get(event)
    }
    return undefined
  }
}

/** Average price of the held shares, or of all bought shares once none are left. */
export const averagePrice = ({ shares, cost, wallet, token }: Holding, historyOf: PositionHistoryOf): number => {
  if (shares > 0) return cost / shares
  const { bought, paid } = historyOf(wallet, token.index)
  return bought === 0 ? 0 : paid / bought
}

/** In seconds; 0 when unknown. */
export const lastEventAt = (ledger: Ledger, { wallet, token }: Holding, historyOf: PositionHistoryOf): number => {
  const { lastTx } = historyOf(wallet, token.index)
  // The transaction may still be pending.
  return lastTx < 0 ? 0 : Math.min(ledger.timeOf(lastTx), ledger.seconds)
}
