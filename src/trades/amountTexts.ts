import { halfUp, type Shares, type Usdc, type Whole } from "#src/domain/amounts.ts"

/** The three digits of every number below a thousand, and the same without trailing zeros. */
const digits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, "0"))
const trimmed = digits.map((text) => text.replace(/0+$/, ""))

/** Up to six decimals. Much faster than dividing and formatting the quotient. */
const withPoint = (whole: string, millionths: number): string => {
  if (millionths === 0) return whole
  const low = millionths % 1000
  const high = (millionths - low) / 1000
  return low === 0 ? `${whole}.${trimmed[high]}` : `${whole}.${digits[high]}${trimmed[low]}`
}

/** A non-negative integer of 10⁻⁶ as a JSON number without trailing zeros. */
export const amountText = (value: number | bigint): string => {
  if (typeof value === "bigint") return withPoint(String(value / 1_000_000n), Number(value % 1_000_000n))
  const millionths = value % 1_000_000
  return withPoint(String((value - millionths) / 1_000_000), millionths)
}

/** Below these limits all products stay below 2⁵³. */
const plainUsd = 2e11
const plainShares = 1e15

/** Price per share to four decimals, half up; 0 without shares. */
export const priceText = (usd: Usdc<Whole>, shares: Shares<Whole>): string => {
  if (shares === 0 || shares === 0n) return "0"
  if (typeof usd === "bigint" || typeof shares === "bigint" || usd >= plainUsd || shares >= plainShares) {
    return amountText(halfUp(10_000n * BigInt(usd), BigInt(shares)) * 100n)
  }
  const doubled = 20_000 * usd + shares
  return amountText(((doubled - (doubled % (2 * shares))) / (2 * shares)) * 100)
}
