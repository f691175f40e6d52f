import type { HistoryPage } from "#src/upstream/oracle/DataStreams.ts"
import type { Coin, Stretch, Tick } from "./model.ts"
import { secondOf } from "./model.ts"
import { mostAheadMillis } from "./Recent.ts"

/** A page has at most a thousand ticks. */
const secondsPerPage = 900

/** Seconds beyond the stretch that are asked for too: the ticks known of them tell whether the answer can be believed. */
export const overlapSeconds = 10

/** The newest part of what each coin misses, as much as one page holds; nothing from where its source had nothing more. */
export const nextPages = (
  missing: ReadonlyArray<Stretch>,
  nothingFrom: ReadonlyMap<Coin, number>,
): ReadonlyArray<Stretch> => {
  const pages = new Map<Coin, Stretch>()
  for (const { coin, from, to } of missing) {
    const end = Math.min(to, nothingFrom.get(coin) ?? to)
    if (end <= from || end <= (pages.get(coin)?.to ?? 0)) continue
    pages.set(coin, { coin, from: Math.max(from, end - secondsPerPage), to: end })
  }
  return [...pages.values()]
}

export type PageVerdict =
  | {
      readonly kind: "good"
      readonly ticks: ReadonlyArray<Tick>
      /** Up to here, without it, the source has said all it knows. */
      readonly settledTo: number
    }
  /** The answer cannot be right. */
  | { readonly kind: "ahead" | "contradiction" }

/**
 * What a page says about a stretch. `anchors` are the ticks known of the seconds right after it. A second counts as
 * empty only when something later was in the same answer: the newest may be still to come.
 */
export const judgePage = (
  { from, to }: Stretch,
  { ticks, unread }: HistoryPage,
  anchors: ReadonlyArray<Tick>,
  now: number,
  isPatient: boolean,
): PageVerdict => {
  if (ticks.some(({ at }) => at > now + mostAheadMillis)) return { kind: "ahead" }
  const last = ticks.at(-1)
  const said = new Map(ticks.map(({ at, price }) => [at, price]))
  const isUpheld = ({ at, price }: Tick) => last === undefined || at > last.at || said.get(at) === price
  if (isPatient && unread === 0 && !anchors.every(isUpheld)) return { kind: "contradiction" }
  const settledTo = last === undefined ? from : Math.min(to, secondOf(last) + 1)
  return {
    kind: "good",
    ticks: ticks.filter((tick) => secondOf(tick) < to),
    settledTo: isPatient && unread > 0 ? from : settledTo,
  }
}
