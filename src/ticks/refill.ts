import type { Coin, Tick, TickRange } from "#src/domain/Tick.ts"
import { secondOf } from "#src/domain/Tick.ts"
import type { HistoryPage } from "#src/upstream/oracle/DataStreams.ts"
import { maxAheadMillis } from "./RecentTicks.ts"

/** A page has at most a thousand ticks. */
const secondsPerPage = 900

/** Seconds requested beyond the range: their stored ticks show whether the page is right. */
export const overlapSeconds = 10

/**
 * The newest missing seconds of each coin, up to one page: a page fills many small gaps. Seconds from `exhaustedFrom`
 * on are left out, because the source has no ticks for them yet. `missing` is ordered newest first.
 */
export const nextPages = (
  missing: ReadonlyArray<TickRange>,
  exhaustedFrom: ReadonlyMap<Coin, number>,
): ReadonlyArray<TickRange> => {
  const pages = new Map<Coin, TickRange>()
  for (const { coin, from, to } of missing) {
    const end = pages.get(coin)?.to ?? Math.min(to, exhaustedFrom.get(coin) ?? to)
    if (from >= end || to <= end - secondsPerPage) continue
    pages.set(coin, { coin, from: Math.max(from, end - secondsPerPage), to: end })
  }
  return [...pages.values()]
}

/**
 * Result of checking a page. `ahead` of our clock or in `contradiction` to stored ticks, it is wrong; partly `unread`, it
 * may be complete the next time.
 */
export type PageCheck = "good" | "ahead" | "contradiction" | "unread"

/** `known`: stored ticks of the requested range and the seconds right after it; a page with shifted times differs. */
export const checkPage = ({ ticks, unread }: HistoryPage, known: ReadonlyArray<Tick>, now: number): PageCheck => {
  if (ticks.some(({ at }) => at > now + maxAheadMillis)) return "ahead"
  const last = ticks.at(-1)
  const received = new Map(ticks.map(({ at, price }) => [at, price]))
  const agrees = ({ at, price }: Tick) =>
    last === undefined || at > last.at || (received.get(at) ?? (unread > 0 ? price : undefined)) === price
  if (!known.every(agrees)) return "contradiction"
  return unread > 0 ? "unread" : "good"
}

/**
 * Exclusive end up to which these ticks are all there are in a range. A second counts as empty only when the same page
 * has a later tick: the newest ticks may still be on their way.
 */
export const settledUntil = ({ from, to }: Pick<TickRange, "from" | "to">, ticks: ReadonlyArray<Tick>): number => {
  const last = ticks.at(-1)
  return last === undefined ? from : Math.max(from, Math.min(to, secondOf(last) + 1))
}
