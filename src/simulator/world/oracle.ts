import { hash, seedOf } from "../random.ts"

/** A coin with a price feed. Prices are whole numbers of 10⁻⁸ USD. */
export interface Coin {
  readonly symbol: string
  /** As in 1h and daily slugs and titles. */
  readonly name: string
  readonly base: number
  /** Typical relative move within a second. */
  readonly volatility: number
  readonly feedId: string
}

const usd = 100_000_000

export const coins: ReadonlyArray<Coin> = [
  {
    symbol: "BTC",
    name: "bitcoin",
    base: 98_000 * usd,
    volatility: 0.00003,
    feedId: "0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8",
  },
  {
    symbol: "ETH",
    name: "ethereum",
    base: 3_400 * usd,
    volatility: 0.00004,
    feedId: "0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9",
  },
  {
    symbol: "SOL",
    name: "solana",
    base: 172 * usd,
    volatility: 0.00006,
    feedId: "0x0003b778d3f6b2ac4991302b89cb313f99a42467d6c9c5f96f57c29c0d2bc24f",
  },
  {
    symbol: "BNB",
    name: "bnb",
    base: 910 * usd,
    volatility: 0.00004,
    feedId: "0x000335fd3f3ffa06cfd9297b97367f77145d7a5f132e84c736cc471dd98621fe",
  },
  {
    symbol: "XRP",
    name: "xrp",
    base: 2.35 * usd,
    volatility: 0.00006,
    feedId: "0x0003c16c6aed42294f5cb4741f6e59ba2d728f0eae2eb9e6d3f555808c59fc45",
  },
  {
    symbol: "DOGE",
    name: "dogecoin",
    base: 0.178 * usd,
    volatility: 0.00007,
    feedId: "0x000356ca64d3b32135e17dc0dc721a645bf50d0303be8ceb2cdca0a50bab8fdc",
  },
  {
    symbol: "HYPE",
    name: "hype",
    base: 38 * usd,
    volatility: 0.00008,
    feedId: "0x0003d34539af562867c3cb309b59efccf40e74b404fb415eeb7699d61322aed9",
  },
]

export interface Tick {
  readonly second: number
  readonly price: number
  readonly bid: number
  readonly ask: number
}

/** Noise at periods of 2 s to 48 days; the amplitude of each octave is that of a random walk over its period. */
const octaves = 22
const periods = Array.from({ length: octaves + 1 }, (_, k) => 2 ** k)
const swing = periods.map(Math.sqrt)

/** Octaves up to this one turn within 64 seconds; over 64 seconds the slower ones sum to a straight line. */
const fastOctaves = 5
const span = 2 ** (fastOctaves + 1)

/** The ends of an octave's current segment. Cached: neighbouring seconds share them, and hashing is most of the cost. */
interface Segment {
  cell: number
  left: number
  right: number
}

/** Sum of the slow octaves over the current 64 seconds. */
interface Trend {
  cell: number
  start: number
  slope: number
}

/** Coin prices as a pure function of the seed, the coin and the second, available for any moment. */
export class Oracle {
  readonly #seeds: ReadonlyArray<number>
  readonly #segments: ReadonlyArray<ReadonlyArray<Segment>>
  readonly #trends: ReadonlyArray<Trend>
  readonly #means = new Map<number, number>()

  constructor(seed: number) {
    this.#seeds = coins.map((coin) => seedOf(seed, `oracle ${coin.symbol}`))
    this.#segments = coins.map(() => Array.from({ length: octaves + 1 }, () => ({ cell: -1, left: 0, right: 0 })))
    this.#trends = coins.map(() => ({ cell: -1, start: 0, slope: 0 }))
  }

  /** The true price, whether or not a feed reports it. */
  priceAt(coin: number, second: number): number {
    const { base, volatility } = coins[coin] as Coin
    const trend = this.#trends[coin] as Trend
    const cell = Math.floor(second / span)
    if (trend.cell !== cell) this.#updateTrend(trend, coin, cell)
    let drift = trend.start + trend.slope * (second - cell * span)
    for (let k = 1; k <= fastOctaves; k++) {
      const { left, right } = this.#segment(coin, k, second)
      const period = periods[k] as number
      drift += (left + (right - left) * ((second % period) / period)) * (swing[k] as number)
    }
    return Math.max(1, Math.round(base * Math.max(0.2, 1 + drift * volatility)))
  }

  #updateTrend(trend: Trend, coin: number, cell: number): void {
    const second = cell * span
    trend.cell = cell
    trend.start = 0
    trend.slope = 0
    for (let k = fastOctaves + 1; k <= octaves; k++) {
      const { left, right } = this.#segment(coin, k, second)
      const period = periods[k] as number
      const slope = (right - left) / period
      trend.start += (left + slope * (second % period)) * (swing[k] as number)
      trend.slope += slope * (swing[k] as number)
    }
  }

  #segment(coin: number, k: number, second: number): Segment {
    const segment = (this.#segments[coin] as ReadonlyArray<Segment>)[k] as Segment
    const cell = Math.floor(second / (periods[k] as number))
    if (segment.cell !== cell) this.#moveTo(segment, coin, k, cell)
    return segment
  }

  #moveTo(segment: Segment, coin: number, k: number, cell: number): void {
    const seed = this.#seeds[coin] as number
    segment.left = segment.cell + 1 === cell ? segment.right : hash(seed, cell, k) / 0x80000000 - 1
    segment.right = hash(seed, cell + 1, k) / 0x80000000 - 1
    segment.cell = cell
  }

  /** The data-streams report for a second; some seconds are missing. */
  tick(coin: number, second: number): Tick | undefined {
    if (!this.#isReported(coin, second)) return undefined
    const seed = this.#seeds[coin] as number
    const price = this.priceAt(coin, second)
    const half = Math.max(1, Math.round(price * (0.00002 + (hash(seed, second, 102) % 1000) * 0.00000003)))
    return { second, price, bid: price - half, ask: price + half }
  }

  #isReported(coin: number, second: number): boolean {
    return hash(this.#seeds[coin] as number, second, 101) % 151 !== 0
  }

  /** The platform socket's report: only a price, slightly off, and about 3 % of the seconds are missing. */
  platformPrice(coin: number, second: number): number | undefined {
    const seed = this.#seeds[coin] as number
    const roll = hash(seed, second, 103)
    if (roll % 33 === 0) return undefined
    const price = this.priceAt(coin, second)
    return price + Math.round((price * (((roll >>> 8) % 101) - 50)) / 2_000_000)
  }

  /** The mean of the reported prices of the 60 seconds up to and including `second`, rounded half up. */
  twap60(coin: number, second: number): number {
    // Cached: windows of all lengths start where others end, so most means are needed several times.
    const key = second * coins.length + coin
    const cached = this.#means.get(key)
    if (cached !== undefined) return cached
    let sum = 0
    let count = 0
    for (let s = second - 59; s <= second; s++) {
      if (!this.#isReported(coin, s)) continue
      sum += this.priceAt(coin, s)
      count += 1
    }
    const mean = Math.floor((2 * sum + count) / (2 * count))
    this.#means.set(key, mean)
    return mean
  }
}
