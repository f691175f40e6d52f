import type { Query } from "../gamma/Query.ts"
import type { Simulation } from "../Simulation.ts"
import { json, type WireRequest, type WireResponse } from "../wire.ts"
import { firstBlock } from "../world/blockClock.ts"

/** A rejected control request. */
export class ControlError extends Error {
  readonly response: WireResponse

  constructor(status: 400 | 404 | 405, error: string, headers: Readonly<Record<string, string>> = {}) {
    super(error)
    const response = json({ error }, status)
    this.response = { ...response, headers: { ...response.headers, ...headers } }
  }
}

export const badRequest = (error: string) => new ControlError(400, error)

export const orNotFound = <A>(value: A | undefined, name: string): A => {
  if (value === undefined) throw new ControlError(404, `${name} not found`)
  return value
}

/** A JSON object in a request, read field by field. */
export class JsonBody {
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(text: string) {
    let parsed: unknown
    try {
      parsed = JSON.parse(text || "{}")
    } catch {
      parsed = undefined
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      throw badRequest("the body must be a JSON object")
    this.#fields = parsed as Readonly<Record<string, unknown>>
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null
  }

  /** Otherwise a misspelt field would pass for an omitted one. */
  allowOnly(names: ReadonlyArray<string>): void {
    const unknown = Object.keys(this.#fields).find((name) => !names.includes(name))
    if (unknown !== undefined) throw badRequest(`${unknown}: unknown field; expected ${names.join(", ")}`)
  }

  boolean(name: string): boolean | undefined {
    if (!this.has(name)) return undefined
    const value = this.#fields[name]
    if (typeof value !== "boolean") throw badRequest(`${name}: must be true or false`)
    return value
  }

  integer(name: string, min: number, max: number, unit = ""): number {
    const value = this.#fields[name]
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value
    throw badRequest(`${name}: must be an integer from ${min} to ${max}${unit === "" ? "" : ` (${unit})`}`)
  }

  share(name: string): number {
    const value = this.#fields[name]
    if (typeof value === "number" && value > 0 && value <= 1) return value
    throw badRequest(`${name}: must be a number above 0 and at most 1`)
  }

  text(name: string, maxLength: number): string {
    const value = this.#fields[name]
    if (typeof value === "string" && value.length <= maxLength) return value
    throw badRequest(`${name}: must be a string of at most ${maxLength} characters`)
  }

  oneOf<A extends string>(name: string, values: ReadonlyArray<A>): A {
    const value = values.find((each) => each === this.#fields[name])
    if (value === undefined) throw badRequest(`${name}: must be one of ${values.join(", ")}`)
    return value
  }

  someOf<A extends string>(name: string, values: ReadonlyArray<A>): ReadonlyArray<A> {
    const list = this.#fields[name]
    if (!Array.isArray(list) || list.length === 0)
      throw badRequest(`${name}: must be a non-empty list of ${values.join(", ")}`)
    return list.map((item) => {
      const value = values.find((each) => each === item)
      if (value === undefined) throw badRequest(`${name}: must be a non-empty list of ${values.join(", ")}`)
      return value
    })
  }
}

export interface ControlRequest {
  /** The path segment at the `*` of the pattern. */
  readonly key: string
  readonly query: Query
  /** Parsed on demand: most requests have none. */
  readonly body: () => JsonBody
}

export type Route = (request: ControlRequest) => unknown
export type Routes = Readonly<Record<string, Route>>

const unknownRoute = (routes: Routes) =>
  new ControlError(404, `unknown control; available: ${Object.keys(routes).join(", ")}`)

const wrongMethod = (methods: ReadonlyArray<string>) =>
  new ControlError(405, `method not allowed; allowed: ${methods.join(", ")}`, { allow: methods.join(", ") })

/** Finds the route by patterns like `GET /wallets/*`; fixed paths are listed before those with a `*`. */
export const routeOf = (routes: Routes, { method, path }: WireRequest): { route: Route; key: string } => {
  const parts = path.split("/")
  const matching = Object.entries(routes).flatMap(([pattern, route]) => {
    const [allowed = "", template = ""] = pattern.split(" ")
    const names = template.split("/")
    if (names.length !== parts.length || !names.every((name, i) => name === "*" || name === parts[i])) return []
    return [{ allowed, route, star: names.indexOf("*") }]
  })
  if (matching.length === 0) throw unknownRoute(routes)
  const found = matching.find(({ allowed }) => allowed === method)
  if (found === undefined) throw wrongMethod([...new Set(matching.map(({ allowed }) => allowed))])
  return { route: found.route, key: decodeURIComponent(parts[found.star] ?? "") }
}

/** Reads `limit` and `offset`. */
export const pageOf = (query: Query, defaultLimit: number, maxLimit: number) => {
  const limit = query.integer("limit") ?? defaultLimit
  if (limit > maxLimit) throw badRequest(`limit: must be at most ${maxLimit}`)
  return { limit, offset: query.integer("offset") ?? 0 }
}

/** The visible part of a requested block range, with its transactions. */
export interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
  /** The transactions [first, end). */
  readonly first: number
  readonly end: number
}

export const blockRange = (sim: Simulation, query: Query): BlockRange => {
  const { block } = sim.model.world.facts
  const fromBlock = Math.max(query.integer("from_block") ?? firstBlock, firstBlock)
  const toBlock = Math.min(query.integer("to_block") ?? sim.head, sim.head)
  const first = block.lowerBound(fromBlock - firstBlock)
  return { fromBlock, toBlock, first, end: Math.max(first, block.lowerBound(toBlock - firstBlock + 1)) }
}
