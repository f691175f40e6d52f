import { Redacted } from "effect"

/** The key of a request; how many different ones there are when it is not exactly one. */
export type Given =
  | { readonly _tag: "One"; readonly key: Redacted.Redacted<string> }
  | { readonly _tag: "None" }
  | { readonly _tag: "Several" }

const bearer = /^bearer +(\S.*)$/i

export const bearerOf = (authorization: string): string | undefined => bearer.exec(authorization)?.[1]?.trim()

/**
 * From `x-api-key`, `Authorization: Bearer` and `?key=`. The same key in several places is one key. The names of headers
 * are in lower case; what is there twice is given twice.
 */
export const givenKeyIn = (
  headers: Iterable<readonly [string, string]>,
  queryKeys: ReadonlyArray<Redacted.Redacted<string>>,
): Given => {
  const given = new Set<string>()
  for (const [name, value] of headers) {
    if (name === "x-api-key") given.add(value.trim())
    else if (name === "authorization") given.add(bearerOf(value) ?? "")
  }
  for (const key of queryKeys) given.add(Redacted.value(key))
  given.delete("")
  const [first] = given
  if (first === undefined) return { _tag: "None" }
  return given.size === 1 ? { _tag: "One", key: Redacted.make(first) } : { _tag: "Several" }
}
