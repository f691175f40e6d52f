import { type Coin, feedNumber, type TickSource } from "../model.ts"
import { keptMillis, type LiveTick } from "./Memory.ts"
import type { Part } from "./storedTicks.ts"

/** Feeds have a tick each second: where two are further apart, one of them may have been lost. */
const usualStep = 1_500

export const inOrder = (ticks: ReadonlyArray<LiveTick>): ReadonlyArray<LiveTick> =>
  ticks.toSorted((a, b) => a.at - b.at || feedNumber(a.coin) - feedNumber(b.coin))

/** Where something may be missing in what came, which is in order of time, or between it and what was there before. */
export const holesIn = (
  came: ReadonlyArray<LiveTick>,
  newestOf: (source: TickSource, coin: Coin) => number | undefined,
): ReadonlyArray<Part> => {
  const last = new Map<string, number | undefined>()
  return came.flatMap(({ source, coin, at }) => {
    const feed = `${source} ${coin}`
    const before = last.has(feed) ? last.get(feed) : newestOf(source, coin)
    last.set(feed, Math.max(at, before ?? at))
    if (before === undefined || at - before <= usualStep) return []
    return [{ source, coin, after: Math.max(before, at - keptMillis), before: at }]
  })
}
