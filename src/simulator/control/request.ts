import type { Query } from "../gamma/Query.ts"
import { json, type WireRequest, type WireResponse } from "../wire.ts"

/** A request that cannot be done, with the words that say why. */
export class Refused extends Error {
  readonly response: WireResponse

  constructor(status: 400 | 404 | 405, error: string, headers: Readonly<Record<string, string>> = {}) {
    super(error)
    const response = json({ error }, status)
    this.response = { ...response, headers: { ...response.headers, ...headers } }
  }
}

export const bad = (error: string) => new Refused(400, error)

export const known = <A>(what: A | undefined, name: string): A => {
  if (what === undefined) throw new Refused(404, `no such ${name}`)
  return what
}

/** A JSON object that somebody sent, read field by field. */
export class Body {
  readonly #fields: Readonly<Record<string, unknown>>

  constructor(text: string) {
    let parsed: unknown
    try {
      parsed = JSON.parse(text || "{}")
    } catch {
      parsed = undefined
    }
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
      throw bad("the body must be a JSON object")
    this.#fields = parsed as Readonly<Record<string, unknown>>
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined && this.#fields[name] !== null
  }

  /** A misspelt field would otherwise be taken for one that is left out. */
  allowOnly(names: ReadonlyArray<string>): void {
    const stranger = Object.keys(this.#fields).find((name) => !names.includes(name))
    if (stranger !== undefined) throw bad(`${stranger}: has no meaning here; there are ${names.join(", ")}`)
  }

  flag(name: string): boolean | undefined {
    if (!this.has(name)) return undefined
    const value = this.#fields[name]
    if (typeof value !== "boolean") throw bad(`${name}: true or false`)
    return value
  }

  whole(name: string, min: number, max: number, of = ""): number {
    const value = this.#fields[name]
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value
    throw bad(`${name}: a whole number ${of === "" ? "" : `of ${of} `}from ${min} to ${max}`)
  }

  share(name: string): number {
    const value = this.#fields[name]
    if (typeof value === "number" && value > 0 && value <= 1) return value
    throw bad(`${name}: a number above 0, up to 1`)
  }

  text(name: string, longest: number): string {
    const value = this.#fields[name]
    if (typeof value === "string" && value.length <= longest) return value
    throw bad(`${name}: a text of at most ${longest} characters`)
  }

  oneOf<A extends string>(name: string, values: ReadonlyArray<A>): A {
    const value = values.find((each) => each === this.#fields[name])
    if (value === undefined) throw bad(`${name}: one of ${values.join(", ")}`)
    return value
  }

  someOf<A extends string>(name: string, values: ReadonlyArray<A>): ReadonlyArray<A> {
    const list = this.#fields[name]
    if (!Array.isArray(list) || list.length === 0) throw bad(`${name}: a list of some of ${values.join(", ")}`)
    return list.map((item) => {
      const value = values.find((each) => each === item)
      if (value === undefined) throw bad(`${name}: a list of some of ${values.join(", ")}`)
      return value
    })
  }
}

export interface ControlRequest {
  /** What the path names, where it names something. */
  readonly key: string
  readonly query: Query
  /** Read when asked for: most requests have none. */
  readonly body: () => Body
}

export type Route = (request: ControlRequest) => unknown
export type Routes = Readonly<Record<string, Route>>

const unknownControl = (routes: Routes) =>
  new Refused(404, `unknown control; there are ${Object.keys(routes).join(", ")}`)

const wrongMethod = (methods: ReadonlyArray<string>) =>
  new Refused(405, `method not allowed; there are ${methods.join(", ")}`, { allow: methods.join(", ") })

/** The route of a request by patterns such as `GET /wallets/*`; fixed paths come before those that name something. */
export const routeOf = (routes: Routes, { method, path }: WireRequest): { route: Route; key: string } => {
  const parts = path.split("/")
  const fitting = Object.entries(routes).flatMap(([pattern, route]) => {
    const [allowed = "", wanted = ""] = pattern.split(" ")
    const names = wanted.split("/")
    if (names.length !== parts.length || !names.every((name, i) => name === "*" || name === parts[i])) return []
    return [{ allowed, route, star: names.indexOf("*") }]
  })
  if (fitting.length === 0) throw unknownControl(routes)
  const found = fitting.find(({ allowed }) => allowed === method)
  if (found === undefined) throw wrongMethod([...new Set(fitting.map(({ allowed }) => allowed))])
  return { route: found.route, key: decodeURIComponent(parts[found.star] ?? "") }
}

/** A part of a long list. */
export const pageOf = (query: Query, usual: number, most: number) => {
  const limit = query.whole("limit") ?? usual
  if (limit > most) throw bad(`limit: at most ${most}`)
  return { limit, offset: query.whole("offset") ?? 0 }
}
