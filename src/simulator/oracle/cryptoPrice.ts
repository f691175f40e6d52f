import { hash } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import { json, type Service } from "../wire.ts"
import { type Span, windowSlug } from "../world/catalogue/crypto/names.ts"
import type { Millis } from "../world/model.ts"
import { coins } from "../world/oracle.ts"
import type { Market } from "../world/Venue.ts"
import { twapOf } from "./derivedPrices.ts"

/** All spellings that the site accepts. */
const variants = new Map<string, Span>([
  ["fiveminute", "5m"],
  ["fifteen", "15m"],
  ["hourly", "1h"],
  ["oneHour", "1h"],
  ["fourhour", "4h"],
  ["fourHour", "4h"],
  ["daily", "daily"],
  ["day", "daily"],
])

/** A window without a market counts as settled this long after its end. */
const settledAfter = 120_000
const maxLookback = 3_600

interface WindowQuery {
  readonly coin: number
  readonly span: Span
  readonly openAt: Millis
  readonly closeAt: Millis
  /** Seconds of the TWAP; undefined for the spot price. */
  readonly lookback: number | undefined
}

const parseIsoTime = (text: string | null): Millis | undefined => {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}

const parseWindowQuery = (query: URLSearchParams): WindowQuery | string => {
  const coin = coins.findIndex(({ symbol }) => symbol === query.get("symbol"))
  if (coin < 0) return "symbol is missing or unknown"
  const openAt = parseIsoTime(query.get("eventStartTime"))
  if (openAt === undefined) return "eventStartTime must be an ISO time"
  const closeAt = parseIsoTime(query.get("endDate"))
  if (closeAt === undefined || closeAt <= openAt) return "endDate must be an ISO time after eventStartTime"
  const span = variants.get(query.get("variant") ?? "")
  if (span === undefined) return "variant is missing or unknown"
  if (query.get("twapEnabled") !== "true" && query.get("twap") !== "true") {
    return { coin, span, openAt, closeAt, lookback: undefined }
  }
  const lookback = Number(query.get("twapLookbackSeconds") ?? "60")
  if (!Number.isInteger(lookback) || lookback < 1 || lookback > maxLookback) {
    return "twapLookbackSeconds must be a whole number of seconds"
  }
  return { coin, span, openAt, closeAt, lookback }
}

/** The opening price becomes available some seconds after the start. */
const openPriceDelay = ({ coin, openAt }: WindowQuery): Millis => 3_000 + (hash(coin, openAt / 1000) % 9_000)

/** When the result of the window became final; undefined before. */
const settledAt = (sim: Simulation, { coin, span, openAt, closeAt }: WindowQuery): Millis | undefined => {
  const { venue } = sim.model.world
  const event = venue.bySlug.get(windowSlug({ coin, span, openAt, closeAt }))
  const market = event === undefined ? undefined : (venue.markets[event.markets[0] as number] as Market)
  const matches = market !== undefined && market.event.plan.startsAt === openAt && market.plan.endsAt === closeAt
  const at = matches ? market.resolvedAt : closeAt + settledAfter
  return at === undefined || at > sim.now() ? undefined : at
}

const windowPrices = (sim: Simulation, window: WindowQuery) => {
  const { openAt, closeAt, coin, lookback } = window
  const { oracle } = sim.model.world
  const now = sim.now()
  const priceAt = (at: Millis) => {
    const second = Math.floor(at / 1000)
    return (lookback === undefined ? oracle.priceAt(coin, second) : twapOf(oracle, coin, second, lookback)) / 1e8
  }
  const hasOpenPrice = now >= openAt + openPriceDelay(window)
  const settled = settledAt(sim, window)
  const completed = settled !== undefined
  return {
    openPrice: hasOpenPrice ? priceAt(openAt) : null,
    closePrice: now >= openAt ? priceAt(Math.min(now, closeAt)) : null,
    timestamp: Math.floor(settled ?? now),
    completed,
    incomplete: !hasOpenPrice,
    cached: completed,
  }
}

/** The site's opening and closing price of an up/down window. */
export const cryptoPriceService =
  (sim: Simulation): Service =>
  ({ method, path, query }) => {
    if (path !== "/api/crypto/crypto-price") return json({ error: "Not found" }, 404)
    if (method !== "GET") return json({ error: "Method not allowed" }, 405)
    const window = parseWindowQuery(query)
    return typeof window === "string" ? json({ error: window }, 400) : json(windowPrices(sim, window))
  }
