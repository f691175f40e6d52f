import { Query, GammaError as QueryRefusal } from "../gamma/Query.ts"
import type { Simulation } from "../Simulation.ts"
import { jsonText, type Service } from "../wire.ts"
import { builderRoutes } from "./builderTrades.ts"
import { ClobView } from "./ClobView.ts"
import { marketRoutes } from "./marketRoutes.ts"
import { historyRoutes } from "./priceHistory.ts"
import { quoteRoutes } from "./quoteRoutes.ts"
import { rebateRoutes } from "./rebates.ts"
import { badRequest, ClobError, type Route, type Routes } from "./requests.ts"

interface CompiledRoute {
  readonly method: string
  readonly pattern: ReadonlyArray<string>
  readonly route: Route
}

/** Fixed paths come before patterns. */
const compileRoutes = (routes: Routes): ReadonlyArray<CompiledRoute> =>
  Object.entries(routes)
    .map(([name, route]) => {
      const [method = "", path = ""] = name.split(" ")
      return { method, pattern: path.split("/"), route }
    })
    .sort((a, b) => Number(a.pattern.includes("*")) - Number(b.pattern.includes("*")))

const matchesPattern = (pattern: ReadonlyArray<string>, parts: ReadonlyArray<string>): boolean =>
  pattern.length === parts.length && pattern.every((name, index) => name === "*" || name === parts[index])

/** The simulated CLOB API: prices, books, markets and builder trades. */
export const clobService = (sim: Simulation): Service => {
  const view = new ClobView(sim)
  const routes = compileRoutes({
    "GET /ok": () => '"OK"',
    "GET /time": () => String(Math.floor(sim.now() / 1000)),
    ...quoteRoutes(view),
    ...marketRoutes(view),
    ...historyRoutes(view),
    ...builderRoutes(view),
    ...rebateRoutes(view),
  })

  const routeFor = (method: string, parts: ReadonlyArray<string>): CompiledRoute => {
    const candidates = routes.filter(({ pattern }) => matchesPattern(pattern, parts))
    if (candidates.length === 0) throw new ClobError(404, "not found")
    const match = candidates.find((route) => route.method === method)
    if (match === undefined) throw new ClobError(405, "method not allowed")
    return match
  }

  return ({ method, path, query, body }) => {
    try {
      const parts = (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path)
        .split("/")
        .map(decodeURIComponent)
      const { pattern, route } = routeFor(method, parts)
      const key = parts[pattern.indexOf("*")] ?? ""
      return jsonText(route({ query: new Query(query), key, body }))
    } catch (error) {
      if (error instanceof ClobError) return error.response
      if (error instanceof QueryRefusal) return badRequest(error.message).response
      if (error instanceof URIError) return badRequest("malformed path").response
      throw error
    }
  }
}
