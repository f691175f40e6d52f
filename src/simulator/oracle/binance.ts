import { hash, seedOf } from "../random.ts"
import { coins, type Oracle } from "../world/oracle.ts"

const seeds = coins.map(({ symbol }) => seedOf(0, `binance ${symbol}`))

/** A basis wanders from one value to the next in this many seconds. */
const stretch = 64
const millionths = 1_000_000

/** In millionths of the price, either way. */
const within = (most: number, seed: number, ...place: readonly [number, number]): number =>
  (hash(seed, ...place) % (2 * most + 1)) - most

/** How far the exchange is from the oracle, in millionths times 64: to one side for every coin, and never nothing. */
const deviationAt = (coin: number, second: number): number => {
  const seed = seeds[coin] as number
  const cell = Math.floor(second / stretch)
  const passed = second - cell * stretch
  const usual = coin % 2 === 0 ? 160 : -160
  const [from, to] = [within(100, seed, cell, 1), within(100, seed, cell + 1, 1)]
  return (usual + within(20, seed, second, 2)) * stretch + from * (stretch - passed) + to * passed
}

/** A price of the exchange against Tether: a few basis points off the platform's, and missing in the same seconds. */
export const binancePrice = (oracle: Oracle, coin: number, second: number): number | undefined => {
  const price = oracle.platformPrice(coin, second)
  if (price === undefined) return undefined
  return price + Math.round((price * deviationAt(coin, second)) / (millionths * stretch))
}
