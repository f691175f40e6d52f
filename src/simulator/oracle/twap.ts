import type { Oracle } from "../world/oracle.ts"

/**
 * The mean of the reported prices of the last `seconds` up to and including `second`, rounded half up: for 60 the same
 * as the oracle's own, which remembers every answer and so is not the one to ask every second for ever.
 */
export const twapOf = (oracle: Oracle, coin: number, second: number, seconds: number): number => {
  let sum = 0
  let count = 0
  for (let s = second - seconds + 1; s <= second; s++) {
    const tick = oracle.tick(coin, s)
    if (tick === undefined) continue
    sum += tick.price
    count += 1
  }
  return count === 0 ? oracle.priceAt(coin, second) : Math.floor((2 * sum + count) / (2 * count))
}
