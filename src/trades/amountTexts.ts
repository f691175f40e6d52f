/** Whole numbers up to here divide into as many digits as they have. */
const exactUpTo = 1e15

const withPoint = (value: bigint): string => {
  const digits = value.toString().padStart(7, "0")
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "")
}

/** A whole number of 10⁻⁶, at least zero, as a number of JSON without zeros at its end. */
export const amountText = (value: number | bigint): string =>
  typeof value === "number" && value < exactUpTo ? String(value / 1e6) : withPoint(BigInt(value))

/** Usd below this keep everything below 2⁵³. */
const plainUpTo = 2e11

/** What one share cost, to four decimals, half up; nothing for none. */
export const priceText = (usd: number | bigint, shares: number | bigint): string => {
  if (shares === 0 || shares === 0n) return "0"
  if (typeof usd === "bigint" || typeof shares === "bigint" || usd >= plainUpTo || shares >= exactUpTo) {
    return String(Number((20_000n * BigInt(usd) + BigInt(shares)) / (2n * BigInt(shares))) / 1e4)
  }
  const doubled = 20_000 * usd + shares
  return String((doubled - (doubled % (2 * shares))) / (2 * shares) / 1e4)
}
