import type { Simulation } from "../Simulation.ts"
import type { SocketService, WireRequest, WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { type Credentials, refusal } from "./auth.ts"
import { coinOfFeed, isFeedId, reportText } from "./feeds.ts"

const policyViolation = 1008

const coinsAsked = ({ query }: WireRequest): ReadonlyArray<number> => {
  const feedIds = (query.get("feedIDs") ?? "").split(",")
  if (!feedIds.every(isFeedId)) return []
  return [...new Set(feedIds.map(coinOfFeed))].filter((coin) => coin !== undefined)
}

/** Why a connection must not be upgraded, for a server that can still answer over HTTP. */
export const datastreamsHandshake =
  (credentials: Credentials, realNow: () => Millis = Date.now) =>
  (request: WireRequest): WireResponse | undefined => {
    const refused = refusal(request, credentials, realNow())
    if (refused !== undefined) return refused
    if (request.path !== "/api/v1/ws") return { status: 404, body: "" }
    return coinsAsked(request).length === 0 ? { status: 400, body: "" } : undefined
  }

/** Chainlink Data Streams over a WebSocket: every report of the feeds asked for, as its second passes. */
export const datastreamsSocket = (
  sim: Simulation,
  credentials: Credentials,
  realNow: () => Millis = Date.now,
): SocketService => {
  const refusedFor = datastreamsHandshake(credentials, realNow)
  return (socket, request) => {
    const refused = refusedFor(request)
    if (refused !== undefined) {
      socket.close(policyViolation, String(refused.status))
      return
    }
    const coins = coinsAsked(request)
    const { oracle } = sim.made.world
    socket.onClose = sim.on("second", (second) => {
      for (const coin of coins) {
        const tick = oracle.tick(coin, second)
        if (tick !== undefined) socket.send(`{"report":${reportText(coin, tick)}}`)
      }
    })
  }
}
