import { hexOf, seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import { json, type Service, type WireResponse } from "../wire.ts"
import { activity, activityV2 } from "./activity.ts"
import { builderBoard, builderBoardV2, builderVolume, builderVolumeV2 } from "./builders.ts"
import { comboActivity, comboActivityV2 } from "./combos/comboActivity.ts"
import { comboPositions, comboPositionsV2 } from "./combos/comboPositions.ts"
import { leaderboard, leaderboardV2 } from "./leaderboard.ts"
import { camelCase, DataError, Params } from "./Params.ts"
import type { V2Response } from "./pagination.ts"
import { closedPositions, marketPositions, positions } from "./positions.ts"
import { positionsV2 } from "./positionsV2.ts"
import { resolutions } from "./resolutions.ts"
import { type Sources, sourcesOf } from "./sources.ts"
import { holders, liveVolume, openInterest, traded, value } from "./totals.ts"
import { trades, tradesV2 } from "./trades.ts"
import { userPnl, userStats } from "./userPnl.ts"

type Routes<A> = Readonly<Record<string, (sources: Sources, params: Params) => A>>

const v1Routes: Routes<unknown> = {
  "/": () => ({ data: "OK" }),
  "/trades": ({ ledger }, params) => trades(ledger, params),
  "/activity": activity,
  "/positions": positions,
  "/closed-positions": closedPositions,
  "/holders": holders,
  "/value": value,
  "/traded": traded,
  "/oi": openInterest,
  "/live-volume": liveVolume,
  "/v1/leaderboard": leaderboard,
  "/v1/builders/leaderboard": builderBoard,
  "/v1/builders/volume": builderVolume,
  "/v1/market-positions": marketPositions,
  "/v1/positions/combos": comboPositions,
  "/v1/activity/combos": comboActivity,
}

const v2Routes: Routes<V2Response> = {
  "/v2/trades": ({ ledger }, params) => tradesV2(ledger, params),
  "/v2/activity": activityV2,
  "/v2/activity/combos": comboActivityV2,
  "/v2/positions": positionsV2,
  "/v2/positions/combos": comboPositionsV2,
  "/v2/leaderboard": leaderboardV2,
  "/v2/builders/leaderboard": builderBoardV2,
  "/v2/builders/volume": builderVolumeV2,
  "/v2/user-pnl": userPnl,
  "/v2/user-stats": userStats,
  "/v2/resolutions": resolutions,
}

const codes = { 400: "invalid_request", 404: "not_found", 405: "method_not_allowed" }

const isV2 = (path: string) => path === "/v2" || path.startsWith("/v2/")

const withTrace = (response: WireResponse, trace: string): WireResponse => ({
  ...response,
  headers: { ...response.headers, "x-trace-id": trace },
})

const errorResponse = ({ status, message, parameter }: DataError, path: string, trace: string): WireResponse => {
  // v1 names parameters in camelCase.
  if (!isV2(path)) return json({ error: camelCase(message) }, status)
  const error = { error: message, code: codes[status], retryable: false, trace_id: trace, parameter }
  return withTrace(json(error, status), trace)
}

const respond = (sources: Sources, path: string, params: Params): unknown => {
  const routes: Readonly<Record<string, (sources: Sources, params: Params) => unknown>> = isV2(path)
    ? v2Routes
    : v1Routes
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (route === undefined) throw new DataError(404, "not found")
  return route(sources, params)
}

/** The simulated Data API, v1 and v2: trades, activity, positions and leaderboards. */
export const dataService = (sim: Simulation): Service => {
  const sources = sourcesOf(sim)
  const traces = seedOf(0, "data traces")
  let requests = 0
  return ({ method, path: sentPath, query }) => {
    const path = sentPath.length > 1 && sentPath.endsWith("/") ? sentPath.slice(0, -1) : sentPath
    requests += 1
    const trace = hexOf(16, traces, requests)
    try {
      if (method !== "GET") throw new DataError(405, "method not allowed")
      const response = json(respond(sources, path, new Params(query)))
      return isV2(path) ? withTrace(response, trace) : response
    } catch (error) {
      if (error instanceof DataError) return errorResponse(error, path, trace)
      throw error
    }
  }
}
