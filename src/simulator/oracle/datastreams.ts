import { createHash, createHmac } from "node:crypto"
import type { Simulation } from "../Simulation.ts"
import { json, jsonText, type Service, type SocketService, type WireRequest, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { coins, type Tick } from "../world/oracle.ts"
import { coinOfFeed, Feeds, isFeedId, reportJson } from "./feeds.ts"

interface Credentials {
  readonly clientId: string
  readonly secret: string
}

const toleranceMillis = 5_000

const unauthorized = (message: string): WireResponse => json({ error: "unauthorized", message }, 401)

/** Clients sign the full path, or only the part after the simulator's prefix. */
const signedTargets = ({ target, path }: WireRequest): ReadonlyArray<string> => {
  const [sent = ""] = target.split("?")
  return sent.endsWith(path) ? [target, target.slice(sent.length - path.length)] : [target]
}

const isSigned = (request: WireRequest, { clientId, secret }: Credentials, timestamp: string, signature: string) => {
  const bodyHash = createHash("sha256").update(request.body).digest("hex")
  return signedTargets(request).some((target) => {
    const text = `${request.method} ${target} ${bodyHash} ${clientId} ${timestamp}`
    return createHmac("sha256", secret).update(text).digest("hex") === signature
  })
}

/** The error response for an invalid signature; undefined for a valid one. */
const authFailure = (request: WireRequest, credentials: Credentials, now: Millis): WireResponse | undefined => {
  const { headers } = request
  const timestamp = headers["x-authorization-timestamp"]
  const signature = headers["x-authorization-signature-sha256"]
  if (headers["authorization"] === undefined || timestamp === undefined || signature === undefined) {
    return unauthorized("missing authorization headers")
  }
  if (headers["authorization"] !== credentials.clientId) return unauthorized("unknown client")
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(Number(timestamp) - now) > toleranceMillis) {
    return unauthorized("timestamp is too far from the server's time")
  }
  if (!isSigned(request, credentials, timestamp, signature)) return unauthorized("signature does not match")
  return undefined
}

const maxPerPage = 1_000
const defaultPerPage = 100

const failure = (status: number, error: string, message: string) => json({ error, message }, status)
const badRequest = (message: string) => failure(400, "bad_request", message)
const notFound = (message: string) => failure(404, "not_found", message)

const parseInteger = (text: string | null): number | undefined =>
  text !== null && /^\d{1,10}$/.test(text) ? Number(text) : undefined

const reportResponse = (coin: number, tick: Tick | undefined) =>
  tick === undefined ? notFound("no report for this feed") : jsonText(`{"report":${reportJson(coin, tick)}}`)

const reportsResponse = (texts: ReadonlyArray<string>, status = 200) =>
  jsonText(`{"reports":[${texts.join()}]}`, status)

type Route = (feeds: Feeds, query: URLSearchParams) => WireResponse

/** A route for one known feed. */
const feedRoute =
  (handle: (feeds: Feeds, coin: number, query: URLSearchParams) => WireResponse): Route =>
  (feeds, query) => {
    const feedId = query.get("feedID") ?? ""
    if (!isFeedId(feedId)) return badRequest("feedID must be 32 bytes of hexadecimal digits")
    const coin = coinOfFeed(feedId)
    return coin === undefined ? notFound("no such feed") : handle(feeds, coin, query)
  }

const reportAt = feedRoute((feeds, coin, query) => {
  const second = parseInteger(query.get("timestamp"))
  if (second === undefined) return badRequest("timestamp must be in whole seconds")
  return reportResponse(coin, feeds.at(coin, second))
})

const reportPage = feedRoute((feeds, coin, query) => {
  const from = parseInteger(query.get("startTimestamp"))
  if (from === undefined) return badRequest("startTimestamp must be in whole seconds")
  const limit = query.has("limit") ? parseInteger(query.get("limit")) : defaultPerPage
  if (limit === undefined || limit === 0) return badRequest("limit must be a positive whole number")
  return reportsResponse(feeds.page(coin, from, Math.min(limit, maxPerPage)).map((tick) => reportJson(coin, tick)))
})

/** Like the real service, responds with 206 when some feeds have no report. */
const bulkReports: Route = (feeds, query) => {
  const feedIds = [...new Set((query.get("feedIDs") ?? "").toLowerCase().split(","))]
  if (!feedIds.every(isFeedId)) return badRequest("feedIDs must be a comma-separated list of feed ids")
  const second = parseInteger(query.get("timestamp"))
  if (second === undefined) return badRequest("timestamp must be in whole seconds")
  const texts = feedIds.flatMap((feedId) => {
    const coin = coinOfFeed(feedId)
    const tick = coin === undefined ? undefined : feeds.at(coin, second)
    return coin === undefined || tick === undefined ? [] : [reportJson(coin, tick)]
  })
  if (texts.length === 0) return notFound("no report for any of these feeds")
  return reportsResponse(texts, texts.length < feedIds.length ? 206 : 200)
}

const routes = new Map<string, Route>([
  ["/api/v1/feeds", () => json({ feeds: coins.map(({ feedId }) => ({ feedID: feedId })) })],
  ["/api/v1/reports/latest", feedRoute((feeds, coin) => reportResponse(coin, feeds.latest(coin)))],
  ["/api/v1/reports", reportAt],
  ["/api/v1/reports/bulk", bulkReports],
  ["/api/v1/reports/page", reportPage],
])

/** Chainlink Data Streams over REST. Signatures are checked against real time, not simulated time. */
export const datastreamsService = (
  sim: Simulation,
  credentials: Credentials,
  realNow: () => Millis = Date.now,
): Service => {
  const feeds = new Feeds(sim)
  return (request) => {
    const rejection = authFailure(request, credentials, realNow())
    if (rejection !== undefined) return rejection
    // Clients look here for further origins; there are none.
    if (request.method === "HEAD" && request.path === "/") return { status: 200, body: "" }
    if (request.method !== "GET") return failure(405, "method_not_allowed", "only GET is allowed")
    const route = routes.get(request.path)
    return route === undefined ? notFound("no such route") : route(feeds, request.query)
  }
}

const policyViolation = 1008

const requestedCoins = ({ query }: WireRequest): ReadonlyArray<number> => {
  const feedIds = (query.get("feedIDs") ?? "").split(",")
  if (!feedIds.every(isFeedId)) return []
  return [...new Set(feedIds.map(coinOfFeed))].filter((coin) => coin !== undefined)
}

/** The HTTP error response to a rejected upgrade, if any. */
export const datastreamsHandshake =
  (credentials: Credentials, realNow: () => Millis = Date.now) =>
  (request: WireRequest): WireResponse | undefined => {
    const rejection = authFailure(request, credentials, realNow())
    if (rejection !== undefined) return rejection
    if (request.path !== "/api/v1/ws") return { status: 404, body: "" }
    return requestedCoins(request).length === 0 ? { status: 400, body: "" } : undefined
  }

/** Chainlink Data Streams over a WebSocket: every report of the requested feeds, as its second passes. */
export const datastreamsSocket = (
  sim: Simulation,
  credentials: Credentials,
  realNow: () => Millis = Date.now,
): SocketService => {
  const rejectionOf = datastreamsHandshake(credentials, realNow)
  return (socket, request) => {
    const rejection = rejectionOf(request)
    if (rejection !== undefined) {
      socket.close(policyViolation, String(rejection.status))
      return
    }
    const coins = requestedCoins(request)
    const { oracle } = sim.model.world
    socket.onClose = sim.on("second", (second) => {
      for (const coin of coins) {
        const tick = oracle.tick(coin, second)
        if (tick !== undefined) socket.send(`{"report":${reportJson(coin, tick)}}`)
      }
    })
  }
}
