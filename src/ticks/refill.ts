import type { Coin, TickRange, Tick } from "#src/domain/Tick.ts"
import { secondOf } from "#src/domain/Tick.ts"
import type { HistoryPage } from "#src/upstream/oracle/DataStreams.ts"
import { maxAheadMillis } from "./RecentTicks.ts"

/** A page has at most a thousand ticks. */
const secondsPerPage = 900

/** Seconds beyond the stretch that are asked for too: the ticks known of them tell whether the answer can be believed. */
export const overlapSeconds = 10

/**
 * The newest part of what each coin misses, as much as one page holds: one answer fills many small holes. Nothing from
 * where the source had nothing more. `missing` is in order, newest first.
 */
export const nextPages = (
  missing: ReadonlyArray<TickRange>,
  nothingFrom: ReadonlyMap<Coin, number>,
): ReadonlyArray<TickRange> => {
  const pages = new Map<Coin, TickRange>()
  for (const { coin, from, to } of missing) {
    const end = pages.get(coin)?.to ?? Math.min(to, nothingFrom.get(coin) ?? to)
    if (from >= end || to <= end - secondsPerPage) continue
    pages.set(coin, { coin, from: Math.max(from, end - secondsPerPage), to: end })
  }
  return [...pages.values()]
}

/**
 * What to make of an answer: `ahead` of our clock or against what is known, it cannot be right; `unread` in part, what is
 * missing in it may be there the next time.
 */
export type PageVerdict = "good" | "ahead" | "contradiction" | "unread"

/**
 * `known` are the ticks that are known of the stretch that was asked for and of the seconds right after: an answer that
 * is off by some time does not agree with them.
 */
export const judgePage = ({ ticks, unread }: HistoryPage, known: ReadonlyArray<Tick>, now: number): PageVerdict => {
  if (ticks.some(({ at }) => at > now + maxAheadMillis)) return "ahead"
  const last = ticks.at(-1)
  const said = new Map(ticks.map(({ at, price }) => [at, price]))
  const isUpheld = ({ at, price }: Tick) =>
    last === undefined || at > last.at || (said.get(at) ?? (unread > 0 ? price : undefined)) === price
  if (!known.every(isUpheld)) return "contradiction"
  return unread > 0 ? "unread" : "good"
}

/**
 * Up to where, without it, these ticks are all there are of a stretch. A second counts as empty only when something
 * later was in the same answer: the newest may be still to come.
 */
export const settledBy = ({ from, to }: Pick<TickRange, "from" | "to">, ticks: ReadonlyArray<Tick>): number => {
  const last = ticks.at(-1)
  return last === undefined ? from : Math.max(from, Math.min(to, secondOf(last) + 1))
}
