import type { Millis } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { matchesOf, priceFor, tradeOf } from "./lastTrade.ts"
import { bad } from "./refusal.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Here `1m` is a month. */
const spans: Readonly<Record<string, Millis>> = {
  "1h": hour,
  "6h": 6 * hour,
  "1d": day,
  "1w": 7 * day,
  "1m": 30 * day,
  max: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
}

/** Which part of a history is wanted; moments are in epoch seconds, the fidelity in minutes. */
export interface HistoryAsk {
  readonly interval: string | undefined
  readonly start: number | undefined
  readonly end: number | undefined
  readonly fidelity: number | undefined
}

interface Window {
  readonly from: Millis
  readonly to: Millis
  readonly step: Millis
}

export interface Point {
  readonly t: number
  readonly p: number
}

/** Fifteen days by the minute. */
const mostPoints = 21_600

const rangeOf = ({ interval, start, end }: HistoryAsk, now: Millis): readonly [from: Millis, to: Millis] => {
  if (start !== undefined || end !== undefined) {
    const [from, to] = [(start ?? 0) * 1000, end === undefined ? now : end * 1000]
    if (from > to) throw bad("invalid filters: 'startTs' must not be after 'endTs'")
    return [from, to]
  }
  if (interval === undefined) throw bad("invalid filters: either 'interval' or 'startTs' and 'endTs' must be given")
  const span = Object.hasOwn(spans, interval) ? spans[interval] : undefined
  if (span === undefined) throw bad(`invalid filters: 'interval' must be one of ${Object.keys(spans).join(", ")}`)
  return [now - span, now]
}

/** A market has a history from its creation until it is resolved. */
const windowOf = (view: ClobView, { market }: Token, ask: HistoryAsk): Window => {
  const now = view.sim.now()
  const [wantedFrom, wantedTo] = rangeOf(ask, now)
  const from = Math.max(wantedFrom, market.createdAt)
  const to = Math.min(wantedTo, now, market.resolvedAt ?? now)
  const { fidelity } = ask
  if (fidelity !== undefined && !(Number.isInteger(fidelity) && fidelity >= 1 && fidelity <= 1e6)) {
    throw bad("invalid filters: 'fidelity' must be a positive number of minutes")
  }
  const coarseEnough = Math.max(1, Math.ceil((to - from) / minute / mostPoints))
  if (fidelity !== undefined && fidelity < coarseEnough) {
    throw bad(`invalid filters: minimum 'fidelity' for this range is ${coarseEnough}`)
  }
  return { from, to, step: (fidelity ?? coarseEnough) * minute }
}

/** Whole steps, and the end itself, newest first: the newest price is never a step old. */
const momentsOf = ({ from, to, step }: Window): ReadonlyArray<Millis> => {
  const out: Array<Millis> = []
  if (from > to) return out
  out.push(to)
  const second = Math.floor(to / 1000) * 1000
  for (let at = Math.ceil(second / step) * step - step; at >= from; at -= step) out.push(at)
  return out
}

/** The price of the last trade as it stood at every step, oldest first; before the first trade, the price at the start. */
export const historyOf = (view: ClobView, token: Token, ask: HistoryAsk): ReadonlyArray<Point> => {
  const { facts } = view
  const { market, outcome } = token
  const moments = momentsOf(windowOf(view, token, ask))
  const points: Array<Point> = []
  const put = (price: number, until: (at: Millis) => boolean) => {
    for (let at = moments[points.length]; at !== undefined && until(at); at = moments[points.length]) {
      points.push({ t: Math.floor(at / 1000), p: price / 1000 })
    }
  }
  for (const act of matchesOf(facts, market.index, moments[0] ?? 0)) {
    if (points.length === moments.length) break
    const since = facts.at.get(act)
    // Most trades lie between two steps; their price is not worth computing.
    if (since <= (moments[points.length] as Millis)) put(priceFor(token, tradeOf(facts, act)), (at) => at >= since)
  }
  const start = outcome === 0 ? market.plan.startPrice : 1000 - market.plan.startPrice
  put(start, () => true)
  return points.reverse()
}
