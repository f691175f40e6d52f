import type { Simulation } from "../Simulation.ts"
import { json, type Service, type WireRequest, type WireResponse } from "../wire.ts"
import { Posts } from "./Posts.ts"
import { invalid, notAllowed, notFound, Problem, tooMany, unauthorized } from "./problems.ts"
import { RateLimits } from "./RateLimits.ts"
import { type Route, routes } from "./routes.ts"

/** Any token will do, but there must be one. */
const bearerOf = ({ headers }: WireRequest): string => {
  const token = /^Bearer\s+(\S.*)$/i.exec(headers["authorization"] ?? "")?.[1]
  if (token === undefined) throw unauthorized()
  return token
}

const matched = (path: string): { readonly route: Route; readonly key: string } => {
  for (const route of routes) {
    const match = route.pattern.exec(path)
    if (match !== null) return { route, key: keyOf(match[1] ?? "") }
  }
  throw notFound()
}

const keyOf = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid({}, "The path is not valid")
  }
}

const problemResponse = (answer: () => WireResponse): WireResponse => {
  try {
    return answer()
  } catch (error) {
    if (error instanceof Problem) return error.response
    throw error
  }
}

/** The second version of the social network's interface, as far as it reads. */
export const xService = (sim: Simulation): Service => {
  const posts = new Posts(sim)
  const limits = new RateLimits()

  return (request) =>
    problemResponse(() => {
      const caller = bearerOf(request)
      const { route, key } = matched(request.path)
      if (request.method !== "GET") throw notAllowed()
      const { isExhausted, headers } = limits.use(caller, route.name, route.limit, sim.now())
      const response = problemResponse(() => {
        if (isExhausted) throw tooMany()
        return json(route.answer(posts, request.query, key))
      })
      return { ...response, headers: { ...response.headers, ...headers } }
    })
}
