import { Act, type Facts, Side } from "../world/Facts.ts"
import type { Micro, Millis } from "../world/model.ts"
import { tradePriceOf } from "../world/tradePrice.ts"
import type { Token } from "../world/Venue.ts"

export type SideName = "BUY" | "SELL"

/** One match as the order book tells it: the taker's own order. */
export interface Trade {
  readonly act: number
  readonly at: Millis
  readonly token: number
  readonly side: SideName
  /** In 1/1000. */
  readonly price: number
  readonly shares: Micro
}

export const tradeOf = (facts: Facts, act: number): Trade => {
  // The makers' fills come first.
  const fill = facts.firstFill.get(act) + facts.fillCount.get(act) - 1
  return {
    act,
    at: facts.at.get(act),
    token: facts.fillToken.get(fill),
    side: facts.side.get(fill) === Side.buy ? "BUY" : "SELL",
    price: tradePriceOf(facts, act),
    shares: facts.shares.get(fill),
  }
}

/** The price as the owner of a token sees it: one outcome is worth what the other is not. */
export const priceFor = ({ index }: Token, trade: Trade): number =>
  trade.token === index ? trade.price : 1000 - trade.price

/** Who buys one outcome does to the other what who sells it does. */
export const otherSide = (side: SideName): SideName => (side === "BUY" ? "SELL" : "BUY")

export const sideFor = ({ index }: Token, { token, side }: Trade): SideName =>
  token === index ? side : otherSide(side)

/** The matches of a market up to a moment, newest first. */
export function* matchesOf(facts: Facts, market: number, now: Millis): Iterable<number> {
  for (let act = facts.byMarket.newest(market); act !== -1; act = facts.byMarket.previous(act)) {
    if (facts.kind.get(act) === Act.match && facts.at.get(act) <= now) yield act
  }
}

export const lastTradeOf = (facts: Facts, market: number, now: Millis): Trade | undefined => {
  for (const act of matchesOf(facts, market, now)) return tradeOf(facts, act)
  return undefined
}
