import type { Dice } from "../../random.ts"
import type { FeeSchedule } from "../model.ts"

export const cryptoFees: FeeSchedule = { rate: 0.07, exponent: 1, rebateRate: 0.2 }
export const sportsFees: FeeSchedule = { rate: 0.05, exponent: 1, rebateRate: 0.25 }

/** A chance as parts of 1,000, never certain. */
export const parts = (chance: number): number => Math.min(999, Math.max(1, Math.round(chance * 1000)))

/** Close to the normal distribution's cumulative curve, with nothing but operations every machine rounds alike. */
const cumulative = (z: number): number => {
  const x = z * 0.8
  return 0.5 + (0.5 * x) / Math.sqrt(1 + x * x)
}

/** The chance that something expected at `mean`, give or take `sigma`, ends above `line`. */
export const chanceAbove = (line: number, mean: number, sigma: number): number => cumulative((mean - line) / sigma)

/** Shares of 1,000 in proportion to the weights, none below 1, together exactly 1,000. */
export const shareOut = (weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const shares = weights.map((weight) => Math.max(1, Math.floor((weight / total) * 1000)))
  const largest = shares.indexOf(Math.max(...shares))
  const rest = 1000 - shares.reduce((sum, share) => sum + share, 0)
  return shares.map((share, i) => (i === largest ? share + rest : share))
}

/** The index that wins, each with its share of 1,000. */
export const drawOne = (dice: Dice, shares: ReadonlyArray<number>): number => {
  let left = dice.below(1000)
  for (let i = 0; i < shares.length; i++) {
    left -= shares[i] as number
    if (left < 0) return i
  }
  return shares.length - 1
}

/** A few very large, most small (Zipf): from 1 to 250. */
export const popularity = (dice: Dice): number => 1 / (dice.unit() + 0.004)

/** However popular, no market draws everybody. */
const heaviest = 120

export const roundedWeight = (weight: number): number =>
  Math.max(1, Math.round(Math.min(heaviest, weight) * 1000)) / 1000

/** Prices near the ends are quoted finer. */
export const tickFor = (startPrice: number): "0.01" | "0.001" =>
  startPrice < 40 || startPrice > 960 ? "0.001" : "0.01"
