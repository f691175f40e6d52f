/** Below this, products stay exact as plain numbers even when doubled and added to. */
const exactUpTo = 2 ** 51

/** The cost of `part` of `whole` shares that cost `cost` in total, rounded half up. All shares have the full cost. */
export const costOfPart = (cost: number, part: number, whole: number): number => {
  if (part >= whole) return cost
  if (Math.abs(cost * part) >= exactUpTo || whole >= exactUpTo) return Number(exactCost(cost, part, whole))
  const doubled = 2 * cost * part + whole
  const rest = doubled % (2 * whole)
  return (doubled - (rest < 0 ? rest + 2 * whole : rest)) / (2 * whole)
}

const exactCost = (cost: number, part: number, whole: number): bigint => {
  const denominator = 2n * BigInt(whole)
  const numerator = 2n * BigInt(cost) * BigInt(part) + BigInt(whole)
  const truncated = numerator / denominator
  // BigInt division truncates towards zero; rounding half up needs the floor, also below zero.
  return numerator % denominator < 0n ? truncated - 1n : truncated
}

/** Value of shares at a payout; the contract rounds down. */
export const payoutOf = (shares: number, numerator: number, denominator: number): number =>
  Number((BigInt(shares) * BigInt(numerator)) / BigInt(denominator))
