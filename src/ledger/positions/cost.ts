/** Products up to here are exact as plain numbers, doubled and with a summand. */
const exactUpTo = 2 ** 51

/** The cost of `part` out of `whole` shares that cost `cost` together: rounded half up, and all of it for all of them. */
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
  const cut = numerator / denominator
  // Division of big numbers cuts towards zero; half up is towards the greater number also below zero.
  return numerator % denominator < 0n ? cut - 1n : cut
}

/** What shares are worth at a payout; the contract rounds down. */
export const payoutOf = (shares: number, numerator: number, denominator: number): number =>
  Number((BigInt(shares) * BigInt(numerator)) / BigInt(denominator))
