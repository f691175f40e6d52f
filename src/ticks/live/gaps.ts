import { type Coin, feedNumber, type TickSource } from "#src/domain/Tick.ts"
import { keptMillis, type LiveTick } from "./FeedMemory.ts"
import type { Part } from "./storedTicks.ts"

/** Feeds have a tick each second: where two are further apart, one of them may have been lost. */
const usualStep = 1_500

export const inOrder = (ticks: ReadonlyArray<LiveTick>): ReadonlyArray<LiveTick> =>
  ticks.toSorted((a, b) => a.at - b.at || feedNumber(a.coin) - feedNumber(b.coin))

/** Where something may be missing in what came, which is in order of time, or between it and where each feed was. */
export const gapsIn = (
  came: ReadonlyArray<LiveTick>,
  positionOf: (source: TickSource, coin: Coin) => number,
): ReadonlyArray<Part> => {
  const last = new Map<string, number>()
  return came.flatMap(({ source, coin, at }) => {
    const feed = `${source} ${coin}`
    const before = last.get(feed) ?? positionOf(source, coin)
    last.set(feed, Math.max(at, before))
    return at - before <= usualStep ? [] : [{ source, coin, after: Math.max(before, at - keptMillis), before: at }]
  })
}
