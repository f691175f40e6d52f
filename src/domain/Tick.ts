import { Schema } from "effect"

/** Coins with a price feed. A feed's number is its place here and is stored: new ones go to the end. */
export const coins = ["BTC", "ETH", "SOL", "BNB", "XRP", "DOGE", "HYPE"] as const
export type Coin = (typeof coins)[number]
export const Coin = Schema.Literals(coins)

/** Where ticks come from. A source's number is its place here and is stored: new ones go to the end. */
export const tickSources = ["oracle_data_streams", "platform_oracle"] as const
export type TickSource = (typeof tickSources)[number]
export const TickSource = Schema.Literals(tickSources)

/** What a source said about the price of a coin at a moment, in whole numbers of 10⁻⁸ USD. */
export interface Tick {
  readonly coin: Coin
  /** Milliseconds. */
  readonly at: number
  readonly price: bigint
  readonly bid: bigint
  readonly ask: bigint
}

/** Seconds from the first up to but without the second. */
export interface TickRange {
  readonly coin: Coin
  readonly from: number
  readonly to: number
}

export const feedNumber = (coin: Coin): number => coins.indexOf(coin)
export const sourceNumber = (source: TickSource): number => tickSources.indexOf(source)
export const secondOf = ({ at }: Pick<Tick, "at">): number => Math.floor(at / 1000)

/** As prices are named at the edge. */
export const feedName = (coin: Coin): string => `${coin}/USD`

/** Room for sources, so that a further one changes no id. */
const sourcesPerFeed = 8

/** `<ms>-<sequence>`: follows from coin, source and moment alone, so a tick loaded later has the id it would have had live. */
export const tickId = (source: TickSource, { coin, at }: Pick<Tick, "coin" | "at">): string =>
  `${at}-${feedNumber(coin) * sourcesPerFeed + sourceNumber(source)}`

/** What an id says; coin and source are undefined where it is of none that we know. */
export const readTickId = (id: string) => {
  const [at = "", number = ""] = id.split("-")
  return {
    at: Number(at),
    coin: coins[Math.floor(Number(number) / sourcesPerFeed)],
    source: tickSources[Number(number) % sourcesPerFeed],
  }
}
