import { hexOf, seedOf } from "../random.ts"
import type { Simulation } from "../Simulation.ts"
import { json, type Service, type WireResponse } from "../wire.ts"
import { camelCase, Params } from "./Params.ts"
import { Refusal } from "./refusal.ts"
import { firstRoutes, secondRoutes } from "./routes.ts"
import { type Sources, sourcesOf } from "./sources.ts"

const codes = { 400: "invalid_request", 404: "not_found", 405: "method_not_allowed" }

const isSecond = (path: string) => path === "/v2" || path.startsWith("/v2/")

const traced = (response: WireResponse, trace: string): WireResponse => ({
  ...response,
  headers: { ...response.headers, "x-trace-id": trace },
})

const refused = ({ status, message, parameter }: Refusal, path: string, trace: string): WireResponse => {
  // Parameters are called as each generation spells them.
  if (!isSecond(path)) return json({ error: camelCase(message) }, status)
  const error = { error: message, code: codes[status], retryable: false, trace_id: trace, parameter }
  return traced(json(error, status), trace)
}

const answered = (sources: Sources, path: string, params: Params): unknown => {
  const routes: Readonly<Record<string, (sources: Sources, params: Params) => unknown>> = isSecond(path)
    ? secondRoutes
    : firstRoutes
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (route === undefined) throw new Refusal(404, "not found")
  return route(sources, params)
}

/** What people did and own: trades, activity, positions and boards, in both generations. */
export const dataService = (sim: Simulation): Service => {
  const sources = sourcesOf(sim)
  const traces = seedOf(0, "data traces")
  let asked = 0
  return ({ method, path: written, query }) => {
    const path = written.length > 1 && written.endsWith("/") ? written.slice(0, -1) : written
    asked += 1
    const trace = hexOf(16, traces, asked)
    try {
      if (method !== "GET") throw new Refusal(405, "method not allowed")
      const response = json(answered(sources, path, new Params(query)))
      return isSecond(path) ? traced(response, trace) : response
    } catch (error) {
      if (error instanceof Refusal) return refused(error, path, trace)
      throw error
    }
  }
}
