import type { Market } from "../world/Venue.ts"

/** Best prices of the first outcome, in 1/1000. */
export interface Quotes {
  readonly bid: number
  readonly ask: number
}

/** One step to either side of the middle, where takers meet the nearest orders. */
export const quotesOf = ({ plan, mid }: Market): Quotes => {
  const step = plan.tickSize === "0.01" ? 10 : 1
  const middle = Math.round(mid / step) * step
  const bid = Math.min(1000 - 2 * step, Math.max(step, middle - step))
  return { bid, ask: Math.min(1000 - step, Math.max(bid + step, middle + step)) }
}

/** Chances of both outcomes, 0 to 1: the middle of the book, or what was paid out. */
export const outcomePrices = (market: Market, isClosed: boolean): readonly [number, number] => {
  if (isClosed && market.payouts !== undefined) {
    const [first, second] = market.payouts
    return [first / (first + second), second / (first + second)]
  }
  const { bid, ask } = quotesOf(market)
  return [(bid + ask) / 2000, (2000 - bid - ask) / 2000]
}

/** How undecided a market is: 1 at even chances, 0.8 when certain. */
export const competitive = (price: number): number => 1 / (1 + (price - 0.5) ** 2)
