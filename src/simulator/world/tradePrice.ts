import type { Facts } from "./Facts.ts"

/** The price of the last order that a match met, in 1/1000 and in terms of the taker's token: always one of the book's. */
export const tradePriceOf = (facts: Facts, act: number): number => {
  const own = facts.firstFill.get(act) + facts.fillCount.get(act) - 1
  const last = own - 1
  const price = Math.round((facts.usd.get(last) * 1000) / facts.shares.get(last))
  return facts.fillToken.get(last) === facts.fillToken.get(own) ? price : 1000 - price
}
