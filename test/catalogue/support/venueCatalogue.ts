import { gammaService } from "#src/simulator/gamma/gammaService.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"

type Json = Readonly<Record<string, unknown>>

/** Exact: shifts the decimal digits by six places. */
export const micro = (value: unknown): string | null => {
  if (value === undefined || value === null) return null
  const [whole = "0", fraction = ""] = Number(value).toFixed(6).split(".")
  return String(BigInt(`${whole}${fraction.padEnd(6, "0")}`))
}
const instant = (value: unknown): string | null =>
  value === undefined || value === null ? null : new Date(String(value).replace(/\+00$/, "Z")).toISOString()
const list = (value: unknown) => JSON.parse(String(value ?? "[]")) as ReadonlyArray<string>
const orNull = (value: unknown) => (value === undefined || value === "" ? null : value)
const hex = (id: string) => BigInt(id).toString(16).padStart(64, "0")

export const expectedMarket = (market: Json, event: string) => ({
  id: Number(market["id"]),
  event: Number(event),
  condition: String(market["conditionId"]).slice(2),
  tokens: list(market["clobTokenIds"]).map(hex),
  slug: market["slug"],
  question: market["question"],
  group_title: orNull(market["groupItemTitle"]),
  outcomes: list(market["outcomes"]),
  prices: list(market["outcomePrices"]).map((price) => Number(micro(price))),
  created_at: instant(market["createdAt"]),
  ends_at: instant(market["endDate"]),
  opens_at: instant(market["eventStartTime"] ?? market["gameStartTime"]),
  closed_at: instant(market["closedTime"]),
  closed: market["closed"],
  accepting_orders: market["acceptingOrders"],
  neg_risk: market["negRisk"],
  tick_size: micro(market["orderPriceMinTickSize"]),
  fee_rate: micro((market["feeSchedule"] as Json | undefined)?.["rate"]),
  price_asset: orNull((market["cryptoMarketConfig"] as Json | undefined)?.["asset"]),
  price_duration: orNull((market["cryptoMarketConfig"] as Json | undefined)?.["duration"]),
  sports_type: orNull(market["sportsMarketType"]),
  line: micro(market["line"]),
  volume: micro(market["volume"]),
  liquidity: micro(market["liquidity"]),
  best_bid: micro(market["bestBid"]),
  best_ask: micro(market["bestAsk"]),
  last_trade: micro(market["lastTradePrice"]),
  resolved: market["closed"],
})

/** -1 means that there is none. */
const gameOf = (event: Json): string | null => {
  const id = event["gameId"] ?? (event["eventMetadata"] as Json | undefined)?.["gameId"]
  return id === undefined || id === null || Number(id) < 0 ? null : String(id)
}

export const expectedEvent = (event: Json) => ({
  id: Number(event["id"]),
  slug: event["slug"],
  title: event["title"],
  category: event["category"],
  tags: event["tag_slugs"],
  series_slug: orNull(event["seriesSlug"]),
  game: gameOf(event),
  created_at: instant(event["createdAt"]),
  opens_at: instant(event["startTime"]),
  ends_at: instant(event["endDate"]),
  closed_at: instant(event["closedTime"]),
  closed: event["closed"],
  neg_risk: event["negRisk"],
  volume: micro(event["volume"]),
  liquidity: micro(event["liquidity"]),
  open_interest: micro(event["openInterest"]),
  score: orNull(event["score"]),
  period: orNull(event["period"]),
  status: event["gameStatus"] === undefined ? null : String(event["gameStatus"]).toLowerCase(),
})

/** The catalogue of the simulated venue, without faults and without the code under test. */
export const venueCatalogue = (simulation: Simulation) => {
  const serve = gammaService(simulation)
  const get = (path: string, query: string) => {
    const target = `${path}?${query}`
    const { body } = serve({ method: "GET", path, query: new URLSearchParams(query), target, headers: {}, body: "" })
    return JSON.parse(body) as Json
  }
  const events = (query: string) => {
    const found: Array<Json> = []
    let after: unknown
    do {
      const page = get("/events/keyset", `${query}&limit=500${after === undefined ? "" : `&after_cursor=${after}`}`)
      found.push(...(page["events"] as ReadonlyArray<Json>))
      after = page["next_cursor"]
    } while (after !== undefined)
    return found
  }
  return {
    /** All events with their markets, in order of id. */
    catalogue: () => {
      const all = [...events("closed=false"), ...events("closed=true")]
      return {
        events: all.map(expectedEvent).sort((a, b) => a.id - b.id),
        markets: all
          .flatMap((event) =>
            (event["markets"] as ReadonlyArray<Json>).map((market) => expectedMarket(market, String(event["id"]))),
          )
          .sort((a, b) => a.id - b.id),
      }
    },
  }
}
