/** Percentages count to nine decimals, so that comparing them is exact. */
const parts = 1_000_000_000

/**
 * Whether a price is told to somebody who was last told another: any change, or one of at least so many percent of what
 * was told. The first price is what later ones are compared with, and is told only to those who want every change.
 */
export const isPriceTold = (price: bigint, last: bigint | undefined, minDeltaPct: number | undefined): boolean => {
  if (last === undefined) return minDeltaPct === undefined
  if (price === last) return false
  if (minDeltaPct === undefined) return true
  const change = price < last ? last - price : price - last
  return change * 100n * BigInt(parts) >= BigInt(Math.round(minDeltaPct * parts)) * last
}

/** What one share cost, in 10⁻⁶, half up; nothing where there was none. */
export const priceInMicros = (usd: bigint, shares: bigint): bigint | undefined =>
  shares === 0n ? undefined : (2_000_000n * usd + shares) / (2n * shares)
