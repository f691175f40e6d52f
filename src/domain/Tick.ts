import { Schema } from "effect"
import type { FinePrice } from "./amounts.ts"

/** Coins with a price feed. A feed's number is its index here and is stored: append new coins at the end. */
export const coins = ["BTC", "ETH", "SOL", "BNB", "XRP", "DOGE", "HYPE"] as const
export type Coin = (typeof coins)[number]
export const Coin = Schema.Literals(coins)

/** Tick sources. A source's number is its index here and is stored: append new sources at the end. */
export const tickSources = ["oracle_data_streams", "platform_oracle", "platform_twap60"] as const
export type TickSource = (typeof tickSources)[number]
export const TickSource = Schema.Literals(tickSources)

/**
 * Seconds over which a source averages by itself. Its ticks are the averages that markets settle on; those of the other
 * sources are prices of the moment.
 */
export const averagedOver = (source: TickSource): 60 | undefined => (source === "platform_twap60" ? 60 : undefined)

/** Sources of prices of the moment. */
export const spotSources: ReadonlyArray<TickSource> = tickSources.filter((source) => averagedOver(source) === undefined)

/** A coin's price reported by a source at a moment, in units of 10⁻⁸ USD. */
export interface Tick {
  readonly coin: Coin
  /** Milliseconds. */
  readonly at: number
  readonly price: FinePrice
  readonly bid: FinePrice
  readonly ask: FinePrice
}

/** Seconds of a coin, `from` inclusive, `to` exclusive. */
export interface TickRange {
  readonly coin: Coin
  readonly from: number
  readonly to: number
}

export const feedNumber = (coin: Coin): number => coins.indexOf(coin)
export const sourceNumber = (source: TickSource): number => tickSources.indexOf(source)
export const secondOf = ({ at }: Pick<Tick, "at">): number => Math.floor(at / 1000)

/** Feed name in the API. */
export const feedName = (coin: Coin): string => `${coin}/USD`

/** Leaves room for more sources, so that a new one changes no id. */
const sourcesPerFeed = 8

/** Averages have numbers from here on, by the length of their window, so that no id is both a price and an average. */
const numbersPerWindow = 1000

/**
 * `<ms>-<sequence>`: derived from coin, source, moment and window alone, so a tick loaded later gets the same id as live.
 * The window of an average is in seconds.
 */
export const tickId = (source: TickSource, { coin, at }: Pick<Tick, "coin" | "at">, window = 0): string =>
  `${at}-${window * numbersPerWindow + feedNumber(coin) * sourcesPerFeed + sourceNumber(source)}`

/** Parses an id; coin and source are undefined when unknown. */
export const readTickId = (id: string) => {
  const [at = "", sequence = ""] = id.split("-")
  const number = Number(sequence) % numbersPerWindow
  return {
    at: Number(at),
    coin: coins[Math.floor(number / sourcesPerFeed)],
    source: tickSources[number % sourcesPerFeed],
  }
}
