import { type Facts, Side, TxKind, tradePriceOf } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"

export type SideName = "BUY" | "SELL"

/** One match as the order book reports it: the taker's order. */
export interface Trade {
  readonly tx: number
  readonly at: Millis
  readonly token: number
  readonly side: SideName
  /** In 1/1000. */
  readonly price: number
  readonly shares: Micro
}

export const tradeOf = (facts: Facts, tx: number): Trade => {
  // The makers' fills come first.
  const fill = facts.firstFill.get(tx) + facts.fillCount.get(tx) - 1
  return {
    tx,
    at: facts.at.get(tx),
    token: facts.fillToken.get(fill),
    side: facts.side.get(fill) === Side.buy ? "BUY" : "SELL",
    price: tradePriceOf(facts, tx),
    shares: facts.shares.get(fill),
  }
}

/** The price in terms of a token; the prices of both outcomes add up to 1. */
export const priceFor = ({ index }: Token, trade: Trade): number =>
  trade.token === index ? trade.price : 1000 - trade.price

/** Buying one outcome is selling the other. */
export const oppositeSide = (side: SideName): SideName => (side === "BUY" ? "SELL" : "BUY")

export const sideFor = ({ index }: Token, { token, side }: Trade): SideName =>
  token === index ? side : oppositeSide(side)

/** The matches of a market up to `now`, newest first. */
export function* matchesOf(facts: Facts, market: number, now: Millis): Iterable<number> {
  for (let tx = facts.byMarket.newest(market); tx !== -1; tx = facts.byMarket.previous(tx)) {
    if (facts.kind.get(tx) === TxKind.match && facts.at.get(tx) <= now) yield tx
  }
}

export const lastTradeOf = (facts: Facts, market: number, now: Millis): Trade | undefined => {
  for (const tx of matchesOf(facts, market, now)) return tradeOf(facts, tx)
  return undefined
}
