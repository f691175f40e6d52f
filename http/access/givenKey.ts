import { Redacted } from "effect"
import { queryKeys } from "../middleware/queryKey.ts"
import { type Asked, Incoming } from "../server/Exchange.ts"

/** The key of a request; how many different ones there are when it is not exactly one. */
export type Given =
  | { readonly _tag: "One"; readonly key: Redacted.Redacted<string> }
  | { readonly _tag: "None" }
  | { readonly _tag: "Several" }

const bearer = /^bearer +(\S.*)$/i

export const bearerOf = ({ headers }: Asked): string | undefined =>
  headers.authorization && bearer.exec(headers.authorization)?.[1]?.trim()

/** As they came: of headers that are there twice, Node keeps one or joins both. */
const rawHeaders = function* ({ source, headers }: Asked): Iterable<readonly [string, string]> {
  if (!(source instanceof Incoming)) return yield* Object.entries(headers)
  const { rawHeaders: raw } = source
  for (let i = 0; i + 1 < raw.length; i += 2) yield [String(raw[i]).toLowerCase(), String(raw[i + 1])]
}

/** From `x-api-key`, `Authorization: Bearer` and `?key=`. The same key in several places is one key. */
export const givenKey = (request: Asked): Given => {
  const given = new Set<string>()
  for (const [name, value] of rawHeaders(request)) {
    if (name === "x-api-key") given.add(value.trim())
    else if (name === "authorization") given.add(bearer.exec(value)?.[1]?.trim() ?? "")
  }
  for (const key of queryKeys(request)) given.add(Redacted.value(key))
  given.delete("")
  const [first] = given
  if (first === undefined) return { _tag: "None" }
  return given.size === 1 ? { _tag: "One", key: Redacted.make(first) } : { _tag: "Several" }
}
