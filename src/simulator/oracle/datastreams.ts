import type { Simulation } from "../Simulation.ts"
import { json, jsonText, type Service, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { coins, type Tick } from "../world/oracle.ts"
import { type Credentials, refusal } from "./auth.ts"
import { coinOfFeed, Feeds, isFeedId, reportText } from "./feeds.ts"

const mostPerPage = 1_000
const defaultPerPage = 100

const failure = (status: number, error: string, message: string) => json({ error, message }, status)
const badRequest = (message: string) => failure(400, "bad_request", message)
const notFound = (message: string) => failure(404, "not_found", message)

const wholeNumber = (text: string | null): number | undefined =>
  text !== null && /^\d{1,10}$/.test(text) ? Number(text) : undefined

const oneReport = (coin: number, tick: Tick | undefined) =>
  tick === undefined ? notFound("no report for this feed") : jsonText(`{"report":${reportText(coin, tick)}}`)

const manyReports = (texts: ReadonlyArray<string>, status = 200) => jsonText(`{"reports":[${texts.join()}]}`, status)

type Route = (feeds: Feeds, query: URLSearchParams) => WireResponse

/** A route about one feed, which must be one of ours. */
const ofFeed =
  (answer: (feeds: Feeds, coin: number, query: URLSearchParams) => WireResponse): Route =>
  (feeds, query) => {
    const feedId = query.get("feedID") ?? ""
    if (!isFeedId(feedId)) return badRequest("feedID must be 32 bytes of hexadecimal digits")
    const coin = coinOfFeed(feedId)
    return coin === undefined ? notFound("no such feed") : answer(feeds, coin, query)
  }

const reportAt = ofFeed((feeds, coin, query) => {
  const second = wholeNumber(query.get("timestamp"))
  if (second === undefined) return badRequest("timestamp must be in whole seconds")
  return oneReport(coin, feeds.at(coin, second))
})

const reportPage = ofFeed((feeds, coin, query) => {
  const from = wholeNumber(query.get("startTimestamp"))
  if (from === undefined) return badRequest("startTimestamp must be in whole seconds")
  const limit = query.has("limit") ? wholeNumber(query.get("limit")) : defaultPerPage
  if (limit === undefined || limit === 0) return badRequest("limit must be a positive whole number")
  return manyReports(feeds.page(coin, from, Math.min(limit, mostPerPage)).map((tick) => reportText(coin, tick)))
})

/** Some of the feeds without a report make the answer partial (206), as the real service does. */
const reportsOfMany: Route = (feeds, query) => {
  const feedIds = [...new Set((query.get("feedIDs") ?? "").toLowerCase().split(","))]
  if (!feedIds.every(isFeedId)) return badRequest("feedIDs must be a comma-separated list of feed ids")
  const second = wholeNumber(query.get("timestamp"))
  if (second === undefined) return badRequest("timestamp must be in whole seconds")
  const texts = feedIds.flatMap((feedId) => {
    const coin = coinOfFeed(feedId)
    const tick = coin === undefined ? undefined : feeds.at(coin, second)
    return coin === undefined || tick === undefined ? [] : [reportText(coin, tick)]
  })
  if (texts.length === 0) return notFound("no report for any of these feeds")
  return manyReports(texts, texts.length < feedIds.length ? 206 : 200)
}

const routes = new Map<string, Route>([
  ["/api/v1/feeds", () => json({ feeds: coins.map(({ feedId }) => ({ feedID: feedId })) })],
  ["/api/v1/reports/latest", ofFeed((feeds, coin) => oneReport(coin, feeds.latest(coin)))],
  ["/api/v1/reports", reportAt],
  ["/api/v1/reports/bulk", reportsOfMany],
  ["/api/v1/reports/page", reportPage],
])

/** Chainlink Data Streams over REST. Signatures are checked against real time, in which the clients live, not the world's. */
export const datastreamsService = (
  sim: Simulation,
  credentials: Credentials,
  realNow: () => Millis = Date.now,
): Service => {
  const feeds = new Feeds(sim)
  return (request) => {
    const refused = refusal(request, credentials, realNow())
    if (refused !== undefined) return refused
    // Clients look here for a list of further origins; there is only this one.
    if (request.method === "HEAD" && request.path === "/") return { status: 200, body: "" }
    if (request.method !== "GET") return failure(405, "method_not_allowed", "only GET is allowed")
    const route = routes.get(request.path)
    return route === undefined ? notFound("no such route") : route(feeds, request.query)
  }
}
