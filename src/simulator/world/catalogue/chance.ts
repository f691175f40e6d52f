import type { Dice } from "../../random.ts"
import type { FeeSchedule } from "../model.ts"

export const cryptoFees: FeeSchedule = { rate: 0.07, exponent: 1, rebateRate: 0.2 }
export const sportsFees: FeeSchedule = { rate: 0.05, exponent: 1, rebateRate: 0.25 }

/** A probability in 1/1000, never 0 or 1. */
export const perMille = (chance: number): number => Math.min(999, Math.max(1, Math.round(chance * 1000)))

/** Approximates the cumulative normal distribution with operations that every machine rounds alike. */
const cumulative = (z: number): number => {
  const x = z * 0.8
  return 0.5 + (0.5 * x) / Math.sqrt(1 + x * x)
}

/** The probability that a value with this mean and sigma ends above `line`. */
export const chanceAbove = (line: number, mean: number, sigma: number): number => cumulative((mean - line) / sigma)

/** Shares of 1,000 in proportion to the weights: each at least 1, in total exactly 1,000. */
export const perMilleShares = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const shares = weights.map((weight) => Math.max(1, Math.floor((weight / total) * 1000)))
  const largest = shares.indexOf(Math.max(...shares))
  const rest = 1000 - shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share, i) => (i === largest ? share + rest : share))
}

/** Draws an index with the given shares of 1,000. */
export const drawIndex = (dice: Dice, shares: ReadonlyArray<number>): number => {
  let left = dice.below(1000)
  for (let i = 0; i < shares.length; i++) {
    left -= shares[i] as number
    if (left < 0) return i
  }
  return shares.length - 1
}

/** Zipf: a few very large values, mostly small ones, from 1 to 250. */
export const popularity = (dice: Dice): number => 1 / (dice.unit() + 0.004)

/** Limits the weight of a single market. */
const maxWeight = 120

export const roundedWeight = (weight: number): number =>
  Math.max(1, Math.round(Math.min(maxWeight, weight) * 1000)) / 1000

/** Prices near 0 and 1 have a finer tick. */
export const tickFor = (startPrice: number): "0.01" | "0.001" =>
  startPrice < 40 || startPrice > 960 ? "0.001" : "0.01"
