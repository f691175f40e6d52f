import { Query } from "../gamma/Query.ts"
import { Refusal as QueryRefusal } from "../gamma/refusal.ts"
import type { Simulation } from "../Simulation.ts"
import { jsonText, type Service } from "../wire.ts"
import type { Route, Routes } from "./Ask.ts"
import { builderRoutes } from "./builderRoutes.ts"
import { ClobView } from "./ClobView.ts"
import { historyRoutes } from "./historyRoutes.ts"
import { marketRoutes } from "./marketRoutes.ts"
import { quoteRoutes } from "./quoteRoutes.ts"
import { bad, Refusal } from "./refusal.ts"

interface Listed {
  readonly method: string
  readonly pattern: ReadonlyArray<string>
  readonly route: Route
}

/** Fixed paths win over those that name something. */
const listed = (routes: Routes): ReadonlyArray<Listed> =>
  Object.entries(routes)
    .map(([name, route]) => {
      const [method = "", path = ""] = name.split(" ")
      return { method, pattern: path.split("/"), route }
    })
    .sort((a, b) => Number(a.pattern.includes("*")) - Number(b.pattern.includes("*")))

const fits = (pattern: ReadonlyArray<string>, parts: ReadonlyArray<string>): boolean =>
  pattern.length === parts.length && pattern.every((name, place) => name === "*" || name === parts[place])

/** Prices and books of the simulated venue. */
export const clobService = (sim: Simulation): Service => {
  const view = new ClobView(sim)
  const routes = listed({
    "GET /ok": () => '"OK"',
    "GET /time": () => String(Math.floor(sim.now() / 1000)),
    ...quoteRoutes(view),
    ...marketRoutes(view),
    ...historyRoutes(view),
    ...builderRoutes(view),
  })

  const found = (method: string, parts: ReadonlyArray<string>): Listed => {
    const fitting = routes.filter(({ pattern }) => fits(pattern, parts))
    if (fitting.length === 0) throw new Refusal(404, "not found")
    const one = fitting.find((route) => route.method === method)
    if (one === undefined) throw new Refusal(405, "method not allowed")
    return one
  }

  return ({ method, path, query, body }) => {
    try {
      const parts = (path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path)
        .split("/")
        .map(decodeURIComponent)
      const { pattern, route } = found(method, parts)
      const key = parts[pattern.indexOf("*")] ?? ""
      return jsonText(route({ query: new Query(query), key, body }))
    } catch (error) {
      if (error instanceof Refusal) return error.response
      if (error instanceof QueryRefusal) return bad(error.message).response
      if (error instanceof URIError) return bad("malformed path").response
      throw error
    }
  }
}
