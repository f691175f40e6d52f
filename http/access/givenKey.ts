import { Redacted } from "effect"
import type { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import { queryKeys } from "../middleware/queryKey.ts"

/** The key of a request; how many different ones there are when it is not exactly one. */
export type Given =
  | { readonly _tag: "One"; readonly key: Redacted.Redacted<string> }
  | { readonly _tag: "None" }
  | { readonly _tag: "Several" }

const bearer = /^bearer +(\S.*)$/i

export const bearerOf = ({ headers }: HttpServerRequest): string | undefined =>
  headers.authorization && bearer.exec(headers.authorization)?.[1]?.trim()

/** From `x-api-key`, `Authorization: Bearer` and `?key=`. The same key in several places is one key. */
export const givenKey = (request: HttpServerRequest): Given => {
  const header = request.headers["x-api-key"]
  const given = new Set<string>()
  if (header) given.add(header.trim())
  const token = bearerOf(request)
  if (token) given.add(token)
  for (const key of queryKeys(request)) given.add(Redacted.value(key))
  given.delete("")
  const [first] = given
  if (first === undefined) return { _tag: "None" }
  return given.size === 1 ? { _tag: "One", key: Redacted.make(first) } : { _tag: "Several" }
}
