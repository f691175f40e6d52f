import { Result } from "effect"
import { type Coin, coins, feedName, type TickSource } from "#src/domain/Tick.ts"
import type { Filters } from "#src/streams/protocol/client.ts"
import { Refusal } from "#src/streams/protocol/Refusal.ts"
import type { TwapWindow } from "#src/ticks/live/twap.ts"

/** A tick as it is, or averaged over so many seconds. */
export type Window = "spot" | TwapWindow

/** One kind of frame: everybody who wants it gets the same bytes. */
export interface Line {
  readonly source: TickSource
  readonly coin: Coin
  readonly window: Window
}

export const topicOf = ({ source, coin, window }: Line): string => `ticks:${source}:${coin}:${window}`

/** What a subscription asks for. */
export interface Wanted {
  readonly source: TickSource
  readonly coins: ReadonlyArray<Coin>
  readonly windows: ReadonlyArray<Window>
  readonly warnings: ReadonlyArray<string>
}

export const linesOf = ({ source, coins: wanted, windows }: Wanted): ReadonlyArray<Line> =>
  wanted.flatMap((coin) => windows.map((window) => ({ source, coin, window })))

/** "BTC" and "btc/usd" alike. */
export const coinOfFeed = (name: string): Coin | undefined => {
  const [symbol] = name.toUpperCase().split("/")
  return coins.find((coin) => coin === symbol)
}

/** What is said about prices, and about replays, which are read elsewhere. */
const meant: ReadonlySet<string> = new Set([
  "feeds",
  "source",
  "price_source",
  "twap_windows",
  "snapshot_count",
  "since",
])

const invalid = (message: string) => Result.fail(new Refusal({ code: "invalid_message", message }))

const known = coins.map(feedName).join(", ")

/** Reads the filters of a subscription to price feeds; `usual` is the source of those who name none. */
export const readWanted = (filters: Filters, usual: TickSource): Result.Result<Wanted, Refusal> => {
  const { feeds = [], twap_windows: averages = [], price_source: spot, source = usual } = filters
  if (spot !== undefined && averages.length > 0) {
    return invalid(
      'filters: give price_source "spot" or twap_windows, not both; subscribe twice for prices and averages',
    )
  }
  const unknown = feeds.filter((feed) => coinOfFeed(feed) === undefined)
  if (feeds.length > 0 && unknown.length === feeds.length) {
    return invalid(`filters.feeds: there is no feed ${unknown.slice(0, 10).join(", ")}; there are ${known}`)
  }
  const asked = new Set(feeds.map(coinOfFeed))
  const idle = Object.keys(filters).filter((name) => !meant.has(name))
  return Result.succeed({
    source,
    coins: coins.filter((coin) => feeds.length === 0 || asked.has(coin)),
    windows: averages.length === 0 ? ["spot"] : [...new Set(averages)].toSorted((a, b) => a - b),
    warnings: [
      ...(unknown.length === 0 ? [] : [`there is no feed ${unknown.slice(0, 10).join(", ")}; there are ${known}`]),
      ...(idle.length === 0 ? [] : [`price feeds are not filtered by ${idle.join(", ")}`]),
    ],
  })
}

const averagesOf = (windows: ReadonlyArray<Window>) => windows.flatMap((window) => (window === "spot" ? [] : [window]))

const priceSourceOf = ([first, ...more]: ReadonlyArray<TwapWindow>) => {
  if (first === undefined) return "spot"
  return more.length > 0 ? "both" : `twap${first}`
}

/** What is said of it in the acknowledgement. */
export const wantedInWords = ({ coins: wanted, source, windows }: Wanted) => {
  const averages = averagesOf(windows)
  return {
    feeds: wanted.map(feedName),
    source,
    price_source: priceSourceOf(averages),
    twap_windows: averages,
  }
}
