import type { Simulation } from "../Simulation.ts"
import { jsonText, type Service, type WireResponse } from "../wire.ts"
import type { Catalogue } from "../world/catalogue/index.ts"
import { GammaView } from "./GammaView.ts"
import { GammaError, orNotFound, Query } from "./Query.ts"
import { type Route, routesOf } from "./routes.ts"

/** The offset lists are deprecated but still served. */
const deprecated = new Set(["/events", "/markets"])
const deprecationHeaders = (path: string) => ({
  deprecation: "true",
  sunset: "Fri, 01 May 2026 00:00:00 GMT",
  warning: `299 - "use ${path}/keyset"`,
})

const pathKey = (pattern: string, parts: ReadonlyArray<string>): string | undefined => {
  const names = pattern.split("/")
  if (names.length !== parts.length) return undefined
  let key = ""
  for (let i = 0; i < names.length; i++) {
    if (names[i] === "*") key = parts[i] as string
    else if (names[i] !== parts[i]) return undefined
  }
  return key
}

/** Fixed paths take precedence over patterns. */
const matchRoute = (routes: Readonly<Record<string, Route>>, path: string) => {
  const fixed = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (fixed !== undefined) return { route: fixed, key: "" }
  const parts = path.split("/").map(decodeURIComponent)
  for (const [pattern, route] of Object.entries(routes)) {
    const key = pathKey(pattern, parts)
    if (key !== undefined) return { route, key }
  }
  return undefined
}

/** The simulated Gamma API: events, markets, series, tags, sports, search and profiles. */
export const gammaService = (sim: Simulation, catalogue: Catalogue = sim.model.catalogue): Service => {
  const view = new GammaView(sim, catalogue)
  const routes = routesOf(view)

  const answer = (method: string, path: string, query: Query): WireResponse => {
    if (method !== "GET") throw new GammaError(405, "method not allowed")
    if (path === "/status") return { status: 200, headers: { "content-type": "text/plain" }, body: "OK" }
    const { route, key } = orNotFound(matchRoute(routes, path), "path")
    view.refresh()
    const response = jsonText(route(query, key))
    return deprecated.has(path)
      ? { ...response, headers: { ...response.headers, ...deprecationHeaders(path) } }
      : response
  }

  return ({ method, path, query }) => {
    try {
      return answer(method, path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path, new Query(query))
    } catch (error) {
      if (error instanceof GammaError) return error.response
      if (error instanceof URIError) return new GammaError(400, "malformed path").response
      throw error
    }
  }
}
