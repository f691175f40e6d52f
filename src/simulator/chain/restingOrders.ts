import { exchange, type Facts } from "../world/Facts.ts"

/** Fills after which nobody's order is the one of before any more. */
const longest = 256

const priceOf = (facts: Facts, fill: number) => Math.round((facts.usd.get(fill) / facts.shares.get(fill)) * 10_000)

/**
 * The first fill of the order that a fill belongs to. Whoever offers the same at the same price again soon afterwards
 * has one order resting there, which is filled bit by bit; the order that starts a match is filled at once.
 */
export const firstFillOf = (facts: Facts, fill: number): number => {
  if (facts.taker.get(fill) === exchange) return fill
  const isSameOrder = (other: number) =>
    facts.taker.get(other) !== exchange &&
    facts.fillToken.get(other) === facts.fillToken.get(fill) &&
    facts.side.get(other) === facts.side.get(fill) &&
    priceOf(facts, other) === priceOf(facts, fill) &&
    facts.actOf(other) !== facts.actOf(fill)
  const oldest = fill - (fill % longest)
  let first = fill
  for (let other = facts.fillsByMaker.previous(fill); other >= oldest; other = facts.fillsByMaker.previous(other)) {
    if (isSameOrder(other)) first = other
  }
  return first
}
