import { halfUp, type Shares, type Usdc, usdc } from "#src/domain/amounts.ts"

/** Below this, products stay exact as plain numbers even when doubled and added to. */
const exactUpTo = 2 ** 51

/** The cost of `part` of `whole` shares that cost `cost` in total, rounded half up. All shares have the full cost. */
export const costOfPart = (cost: Usdc, part: Shares, whole: Shares): Usdc => {
  if (part >= whole) return cost
  if (Math.abs(cost * part) >= exactUpTo || whole >= exactUpTo)
    return usdc(Number(halfUp(BigInt(cost) * BigInt(part), BigInt(whole))))
  const doubled = 2 * cost * part + whole
  const rest = doubled % (2 * whole)
  return usdc((doubled - (rest < 0 ? rest + 2 * whole : rest)) / (2 * whole))
}

/** Value of shares at a payout; the contract rounds down. */
export const payoutOf = (shares: Shares, numerator: number, denominator: number): Usdc =>
  usdc(Number((BigInt(shares) * BigInt(numerator)) / BigInt(denominator)))
