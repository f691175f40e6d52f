import { Result } from "effect"
import { averagedOver, type Coin, coins, feedName, type TickSource } from "#src/domain/Tick.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import type { TwapWindow } from "#src/ticks/live/twap.ts"

/** The ticks of a source as they come, or their averages over this many seconds. */
export type TickWindow = "own" | TwapWindow

/** One kind of price frame; all its subscribers get the same bytes. */
export interface TickSeries {
  readonly source: TickSource
  readonly coin: Coin
  readonly window: TickWindow
}

export const topicOf = ({ source, coin, window }: TickSeries): string => `ticks:${source}:${coin}:${window}`

/** The parsed filters of a subscription. */
export interface TickRequest {
  readonly source: TickSource
  readonly coins: ReadonlyArray<Coin>
  readonly windows: ReadonlyArray<TickWindow>
  readonly warnings: ReadonlyArray<string>
}

export const seriesOf = ({ source, coins: requested, windows }: TickRequest): ReadonlyArray<TickSeries> =>
  requested.flatMap((coin) => windows.map((window) => ({ source, coin, window })))

/** Accepts "BTC" and "btc/usd" alike. */
export const coinOfFeed = (name: string): Coin | undefined => {
  const [symbol] = name.toUpperCase().split("/")
  return coins.find((coin) => coin === symbol)
}

/** Filters that apply to price feeds; replay fields are read elsewhere. */
const knownFilters: ReadonlySet<string> = new Set([
  "feeds",
  "source",
  "price_source",
  "twap_windows",
  "snapshot_count",
  "since",
])

const invalid = (message: string) => Result.fail(new Refusal({ code: "invalid_message", message }))

const known = coins.map(feedName).join(", ")

/** Parses the filters of a price feed subscription. */
export const readTickRequest = (filters: Filters, defaultSource: TickSource): Result.Result<TickRequest, Refusal> => {
  const { feeds = [], twap_windows: averages = [], price_source: spot, source = defaultSource } = filters
  if (spot !== undefined && averages.length > 0) {
    return invalid(
      'filters: use either price_source "spot" or twap_windows, not both; subscribe twice for prices and averages',
    )
  }
  const own = averagedOver(source)
  if (own !== undefined && (spot !== undefined || averages.some((window) => window !== own))) {
    return invalid(`filters: ${source} has averages over ${own} seconds; leave out price_source and twap_windows`)
  }
  const unknown = feeds.filter((feed) => coinOfFeed(feed) === undefined)
  if (feeds.length > 0 && unknown.length === feeds.length) {
    return invalid(`filters.feeds: unknown feed ${unknown.slice(0, 10).join(", ")}; available feeds: ${known}`)
  }
  const requested = new Set(feeds.map(coinOfFeed))
  const ignored = Object.keys(filters).filter((name) => !knownFilters.has(name))
  return Result.succeed({
    source,
    coins: coins.filter((coin) => feeds.length === 0 || requested.has(coin)),
    windows: averages.length === 0 || own !== undefined ? ["own"] : [...new Set(averages)].toSorted((a, b) => a - b),
    warnings: [
      ...(unknown.length === 0 ? [] : [`unknown feed ${unknown.slice(0, 10).join(", ")}; available feeds: ${known}`]),
      ...(ignored.length === 0 ? [] : [`these filters do not apply to price feeds: ${ignored.join(", ")}`]),
    ],
  })
}

/** Over how many seconds prices are averages; undefined for prices of the moment. */
export const secondsOf = (source: TickSource, window: TickWindow): TwapWindow | undefined =>
  window === "own" ? averagedOver(source) : window

/** Describes the request in the acknowledgement. */
export const describeTickRequest = ({ coins: requested, source, windows }: TickRequest) => {
  const seconds = windows.map((window) => secondsOf(source, window))
  const prices = seconds.map((each) => (each === undefined ? "spot" : (`twap${each}` as const)))
  return {
    feeds: requested.map(feedName),
    source,
    // The contract has no other word for several; `prices` says which.
    price_source: prices.length > 1 ? "both" : prices[0],
    prices,
    twap_windows: seconds.filter((each) => each !== undefined),
  }
}
