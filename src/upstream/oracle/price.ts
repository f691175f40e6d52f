/** From the 18 decimals of the oracle to our 8. */
const perUnit = 10n ** 10n

/** Rounded half up. */
export const fromEighteenDecimals = (value: bigint): bigint => (value + perUnit / 2n) / perUnit

/** Beyond this a number does not hold eight decimals any more. */
export const highestNumber = 10_000_000

/** Rounded half up. Nearer to the number as it was written than the eighth decimal, as long as it is below `highestNumber`. */
export const fromNumber = (value: number): bigint => BigInt(Math.round(value * 1e8))
