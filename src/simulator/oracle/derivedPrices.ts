import { hash, seedOf } from "../random.ts"
import { coins, type Oracle } from "../world/oracle.ts"

/**
 * The mean of the reported prices of the last `seconds` up to and including `second`, rounded half up. For 60 it equals
 * the oracle's own, which caches every result and would grow without bound if queried every second.
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

const seeds = coins.map(({ symbol }) => seedOf(0, `binance ${symbol}`))

/** The basis moves from one value to the next in this many seconds. */
const cellSeconds = 64
const millionths = 1_000_000

/** A pseudorandom integer in [-limit, limit]. */
const jitter = (limit: number, seed: number, ...key: readonly [number, number]): number =>
  (hash(seed, ...key) % (2 * limit + 1)) - limit

/** Deviation of the exchange from the oracle in millionths times 64. Each coin deviates to one side and never by 0. */
const deviationAt = (coin: number, second: number): number => {
  const seed = seeds[coin] as number
  const cell = Math.floor(second / cellSeconds)
  const elapsed = second - cell * cellSeconds
  const bias = coin % 2 === 0 ? 160 : -160
  const [from, to] = [jitter(100, seed, cell, 1), jitter(100, seed, cell + 1, 1)]
  return (bias + jitter(20, seed, second, 2)) * cellSeconds + from * (cellSeconds - elapsed) + to * elapsed
}

/** The exchange price against Tether: a few basis points off the platform price, and missing in the same seconds. */
export const binancePrice = (oracle: Oracle, coin: number, second: number): number | undefined => {
  const price = oracle.platformPrice(coin, second)
  if (price === undefined) return undefined
  return price + Math.round((price * deviationAt(coin, second)) / (millionths * cellSeconds))
}
