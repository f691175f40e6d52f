import type { Simulation } from "../Simulation.ts"
import { json, type Service, type WireRequest, type WireResponse } from "../wire.ts"
import type { Millis } from "../world/model.ts"
import { Posts } from "./Posts.ts"
import { invalid, notAllowed, notFound, Problem, tooMany, unauthorized } from "./problems.ts"
import { type Route, routes } from "./routes.ts"

const windowMillis = 900_000

/** Tokens are not checked, so there may be any number of them. */
const maxCallers = 10_000

interface Window {
  readonly endsAt: Millis
  used: number
}

interface LimitStatus {
  readonly isExhausted: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** Rate limits per caller and route over 15 minutes. */
class RateLimits {
  readonly #windows = new Map<string, Window>()

  use(caller: string, route: string, limit: number, now: Millis): LimitStatus {
    const key = `${route} ${caller}`
    const window = this.#windowOf(key, now)
    const isExhausted = window.used >= limit
    if (!isExhausted) window.used += 1
    return {
      isExhausted,
      headers: {
        "x-rate-limit-limit": String(limit),
        "x-rate-limit-remaining": String(limit - window.used),
        "x-rate-limit-reset": String(Math.ceil(window.endsAt / 1000)),
      },
    }
  }

  #windowOf(key: string, now: Millis): Window {
    const current = this.#windows.get(key)
    if (current !== undefined && now < current.endsAt) return current
    const window = { endsAt: now + windowMillis, used: 0 }
    this.#windows.delete(key)
    this.#windows.set(key, window)
    if (this.#windows.size > maxCallers) this.#windows.delete(this.#windows.keys().next().value as string)
    return window
  }
}

/** Any token is accepted, but one is required. */
const bearerOf = ({ headers }: WireRequest): string => {
  const token = /^Bearer\s+(\S.*)$/i.exec(headers["authorization"] ?? "")?.[1]
  if (token === undefined) throw unauthorized()
  return token
}

const matchRoute = (path: string): { readonly route: Route; readonly key: string } => {
  for (const route of routes) {
    const match = route.pattern.exec(path)
    if (match !== null) return { route, key: decodeKey(match[1] ?? "") }
  }
  throw notFound()
}

const decodeKey = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid({}, "The path is not valid")
  }
}

const catchProblem = (respond: () => WireResponse): WireResponse => {
  try {
    return respond()
  } catch (error) {
    if (error instanceof Problem) return error.response
    throw error
  }
}

/** The read part of the simulated X API v2. */
export const xService = (sim: Simulation): Service => {
  const posts = new Posts(sim)
  const limits = new RateLimits()

  return (request) =>
    catchProblem(() => {
      const caller = bearerOf(request)
      const { route, key } = matchRoute(request.path)
      if (request.method !== "GET") throw notAllowed()
      const { isExhausted, headers } = limits.use(caller, route.name, route.limit, sim.now())
      const response = catchProblem(() => {
        if (isExhausted) throw tooMany()
        return json(route.handle(posts, request.query, key))
      })
      return { ...response, headers: { ...response.headers, ...headers } }
    })
}
