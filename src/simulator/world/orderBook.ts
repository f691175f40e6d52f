import { hash } from "../random.ts"
import type { Micro, Millis } from "./model.ts"
import type { Market } from "./Venue.ts"

/** Shares come in hundredths, so that price times shares is a whole number. */
export const lot = 10_000

/** Resting orders at one price, in 1/1000. */
export interface Level {
  readonly price: number
  readonly shares: Micro
}

/** Best prices first. */
export interface Book {
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
}

const empty: Book = { bids: [], asks: [] }

/** The tick size in 1/1000: finer once a market has come close to 0 or 1. */
export const tickOf = ({ plan, nearCertain }: Market): 1 | 10 => (plan.tickSize === "0.001" || nearCertain ? 1 : 10)

const maxLevels = 20
const slowestPace = 60_000

/** Resting shares at a price: more at a distance and in busy markets, changing over time. */
const sharesAt = (market: Market, price: number, distance: number, at: Millis): Micro => {
  const { index, plan, trades } = market
  const pace = 15_000 + (hash(index, price, 3) % (slowestPace - 15_000))
  const turn = Math.floor((at + (hash(index, price, 4) % pace)) / pace)
  const typical = 60 + 40 * Math.sqrt(plan.weight)
  const spread = 300 + (hash(hash(index, price, trades), turn) % 2_400)
  return Math.max(500, Math.floor((typical * spread * (4 + distance)) / 50)) * lot
}

/** From the best price outwards. */
function* levels(market: Market, best: number, outward: 1 | -1, at: Millis): Iterable<Level> {
  const step = tickOf(market)
  const count = 5 + Math.min(maxLevels - 5, Math.floor(market.plan.weight))
  for (let distance = 0; distance < count; distance++) {
    const price = best + outward * step * distance
    if (price < step || price > 1000 - step) return
    yield { price, shares: sharesAt(market, price, distance, at) }
  }
}

const isTrading = (market: Market, at: Millis) => at < market.plan.endsAt && market.payouts === undefined

/**
 * The book of the first outcome around `mid`: a pure function of the market, its number of trades and the time, because
 * makers requote after every match.
 */
export const bookAt = (market: Market, mid: number, at: Millis): Book => {
  if (!isTrading(market, at)) return empty
  const { bid, ask } = quotesAt(market, mid)
  return { bids: [...levels(market, bid, -1, at)], asks: [...levels(market, ask, 1, at)] }
}

/** The levels that a taker of an outcome trades against, best first; generated lazily. */
export function* opposingLevels(
  market: Market,
  outcome: 0 | 1,
  buys: boolean,
  mid: number,
  at: Millis,
): Iterable<Level> {
  if (!isTrading(market, at)) return
  const { bid, ask } = quotesAt(market, mid)
  if (outcome === 0) return yield* buys ? levels(market, ask, 1, at) : levels(market, bid, -1, at)
  for (const level of buys ? levels(market, bid, -1, at) : levels(market, ask, 1, at)) yield mirrorLevel(level)
}

/** Best bid and ask. */
export const quotesAt = (market: Market, mid: number): { readonly bid: number; readonly ask: number } => {
  const step = tickOf(market)
  const turn = hash(market.index, market.trades, 5) % 8
  const below = Math.floor(mid / step) * step - (turn === 0 ? step : 0)
  const bid = Math.min(1000 - 2 * step, Math.max(step, below))
  return { bid, ask: Math.min(1000 - step, bid + step * (turn < 2 ? 2 : 1)) }
}

const mirrorLevel = ({ price, shares }: Level): Level => ({ price: 1000 - price, shares })

/** The same book from the other outcome: a bid for one outcome is an ask for the other. */
export const mirror = ({ bids, asks }: Book): Book => ({ bids: asks.map(mirrorLevel), asks: bids.map(mirrorLevel) })
