import type { PriceRange } from "../../model.ts"
import { type Coin, coins } from "../../oracle.ts"
import { chanceAbove } from "../chance.ts"

/** The probability that a price which is now `spot` ends in the range: it moves like a random walk until then. */
export const chanceInRange = ({ coin, from, to }: PriceRange, spot: number, secondsLeft: number): number => {
  const sigma = spot * (coins[coin] as Coin).volatility * Math.sqrt(Math.max(1, secondsLeft))
  const above = (level: number) => chanceAbove(level, spot, sigma)
  return (from === undefined ? 1 : above(from)) - (to === undefined ? 0 : above(to))
}
