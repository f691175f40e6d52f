import type { Query } from "../gamma/Query.ts"
import type { Millis } from "../world/model.ts"
import type { Token } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { badRequest, jsonRoutes, parseRecord, type Routes } from "./requests.ts"
import { matchesOf, priceFor, tradeOf } from "./trades.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** `1m` is a month. */
const intervals: Readonly<Record<string, Millis>> = {
  "1h": hour,
  "6h": 6 * hour,
  "1d": day,
  "1w": 7 * day,
  "1m": 30 * day,
  max: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
}

/** Times are in epoch seconds, the fidelity in minutes. */
interface HistoryQuery {
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

interface Point {
  readonly t: number
  readonly p: number
}

/** Fifteen days at one point a minute. */
const maxPoints = 21_600

const rangeOf = ({ interval, start, end }: HistoryQuery, now: Millis): readonly [from: Millis, to: Millis] => {
  if (start !== undefined || end !== undefined) {
    const [from, to] = [(start ?? 0) * 1000, end === undefined ? now : end * 1000]
    if (from > to) throw badRequest("invalid filters: 'startTs' must not be after 'endTs'")
    return [from, to]
  }
  if (interval === undefined)
    throw badRequest("invalid filters: either 'interval' or 'startTs' and 'endTs' must be given")
  const span = Object.hasOwn(intervals, interval) ? intervals[interval] : undefined
  if (span === undefined)
    throw badRequest(`invalid filters: 'interval' must be one of ${Object.keys(intervals).join(", ")}`)
  return [now - span, now]
}

/** A market has a history from its creation until it is resolved. */
const windowOf = (view: ClobView, { market }: Token, query: HistoryQuery): Window => {
  const now = view.sim.now()
  const [requestedFrom, requestedTo] = rangeOf(query, now)
  const from = Math.max(requestedFrom, market.createdAt)
  const to = Math.min(requestedTo, now, market.resolvedAt ?? now)
  const { fidelity } = query
  if (fidelity !== undefined && !(Number.isInteger(fidelity) && fidelity >= 1 && fidelity <= 1e6)) {
    throw badRequest("invalid filters: 'fidelity' must be a positive number of minutes")
  }
  const minFidelity = Math.max(1, Math.ceil((to - from) / minute / maxPoints))
  if (fidelity !== undefined && fidelity < minFidelity) {
    throw badRequest(`invalid filters: minimum 'fidelity' for this range is ${minFidelity}`)
  }
  return { from, to, step: (fidelity ?? minFidelity) * minute }
}

/** Whole steps plus the end itself, newest first. Including the end keeps the newest price current. */
const sampleTimes = ({ from, to, step }: Window): ReadonlyArray<Millis> => {
  const out: Array<Millis> = []
  if (from > to) return out
  out.push(to)
  const second = Math.floor(to / 1000) * 1000
  for (let at = Math.ceil(second / step) * step - step; at >= from; at -= step) out.push(at)
  return out
}

/** The last trade price at every step, oldest first. Before the first trade it is the start price. */
const historyOf = (view: ClobView, token: Token, query: HistoryQuery): ReadonlyArray<Point> => {
  const { facts } = view
  const { market, outcome } = token
  const times = sampleTimes(windowOf(view, token, query))
  const points: Array<Point> = []
  const addPoints = (price: number, applies: (at: Millis) => boolean) => {
    for (let at = times[points.length]; at !== undefined && applies(at); at = times[points.length]) {
      points.push({ t: Math.floor(at / 1000), p: price / 1000 })
    }
  }
  for (const tx of matchesOf(facts, market.index, times[0] ?? 0)) {
    if (points.length === times.length) break
    const since = facts.at.get(tx)
    // Skips computing the price of the many trades between two steps.
    if (since <= (times[points.length] as Millis)) addPoints(priceFor(token, tradeOf(facts, tx)), (at) => at >= since)
  }
  const start = outcome === 0 ? market.plan.startPrice : 1000 - market.plan.startPrice
  addPoints(start, () => true)
  return points.reverse()
}

const maxMarkets = 20

const historyQueryIn = (query: Query): HistoryQuery => ({
  interval: query.text("interval"),
  start: query.number("startTs"),
  end: query.number("endTs"),
  fidelity: query.number("fidelity"),
})

const historyQueryOf = (body: Readonly<Record<string, unknown>>): HistoryQuery => {
  const given = (name: string) => body[name] ?? undefined
  const number = (name: string) => {
    const value = given(name)
    if (value !== undefined && typeof value !== "number")
      throw badRequest(`invalid filters: '${name}' must be a number`)
    return value
  }
  const interval = given("interval")
  if (interval !== undefined && typeof interval !== "string")
    throw badRequest("invalid filters: 'interval' must be a string")
  return { interval, start: number("start_ts"), end: number("end_ts"), fidelity: number("fidelity") }
}

const marketsIn = ({ markets }: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  if (!Array.isArray(markets) || markets.length === 0)
    throw badRequest("invalid filters: 'markets' must be a list of token ids")
  if (markets.length > maxMarkets) throw badRequest(`invalid filters: at most ${maxMarkets} 'markets'`)
  return markets.map((id: unknown) => {
    if (typeof id !== "string") throw badRequest("invalid filters: 'markets' must be a list of token ids")
    return id
  })
}

export const historyRoutes = (view: ClobView): Routes => {
  /** The venue returns an empty history for an unknown token. */
  const history = (token: Token | undefined, query: HistoryQuery) =>
    token === undefined ? [] : historyOf(view, token, query)
  return jsonRoutes({
    "GET /prices-history": ({ query }) => {
      const id = query.text("market")
      if (id === undefined || !/^\d{1,78}$/.test(id)) throw badRequest("invalid filters: 'market' must be a token id")
      return { history: history(view.token(id), historyQueryIn(query)) }
    },
    "POST /batch-prices-history": ({ body }) => {
      const fields = parseRecord(body)
      const query = historyQueryOf(fields)
      return { history: Object.fromEntries(marketsIn(fields).map((id) => [id, history(view.token(id), query)])) }
    },
  })
}
