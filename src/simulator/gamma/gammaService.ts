import type { Simulation } from "../Simulation.ts"
import { jsonText, type Service, type WireResponse } from "../wire.ts"
import type { Catalogue } from "../world/catalogue/index.ts"
import { Query } from "./Query.ts"
import { found, Refusal } from "./refusal.ts"
import { type Route, routesOf } from "./routes.ts"
import { View } from "./View.ts"

/** The offset lists were announced to go and still answer. */
const retired = new Set(["/events", "/markets"])
const retiredHeaders = { deprecation: "true", sunset: "Fri, 01 May 2026 00:00:00 GMT" }

const placed = (pattern: string, parts: ReadonlyArray<string>): string | undefined => {
  const names = pattern.split("/")
  if (names.length !== parts.length) return undefined
  let key = ""
  for (let i = 0; i < names.length; i++) {
    if (names[i] === "*") key = parts[i] as string
    else if (names[i] !== parts[i]) return undefined
  }
  return key
}

/** Fixed paths win over those that name something. */
const matched = (routes: Readonly<Record<string, Route>>, path: string) => {
  const fixed = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (fixed !== undefined) return { route: fixed, key: "" }
  const parts = path.split("/").map(decodeURIComponent)
  for (const [pattern, route] of Object.entries(routes)) {
    const key = placed(pattern, parts)
    if (key !== undefined) return { route, key }
  }
  return undefined
}

/** The venue's catalogue: events, markets, series, tags, sports, search and profiles. */
export const gammaService = (sim: Simulation, catalogue: Catalogue = sim.made.catalogue): Service => {
  const view = new View(sim, catalogue)
  const routes = routesOf(view)

  const answer = (method: string, path: string, query: Query): WireResponse => {
    if (method !== "GET") throw new Refusal(405, "method not allowed")
    if (path === "/status") return { status: 200, headers: { "content-type": "text/plain" }, body: "OK" }
    const { route, key } = found(matched(routes, path), "path")
    view.refresh()
    const response = jsonText(route(query, key))
    return retired.has(path) ? { ...response, headers: { ...response.headers, ...retiredHeaders } } : response
  }

  return ({ method, path, query }) => {
    try {
      return answer(method, path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path, new Query(query))
    } catch (error) {
      if (error instanceof Refusal) return error.response
      if (error instanceof URIError) return new Refusal(400, "malformed path").response
      throw error
    }
  }
}
