import type { ErrorBody } from "./errorBody.ts"

/** A request URL without origin, fragment and API key, as the rest of the service sees it. */
export interface RequestTarget {
  readonly url: string
  /** The values of `?key=`, which must not reach a log, span or metric. */
  readonly keys: ReadonlyArray<string>
}

/** True for most URLs: nothing is encoded and no parameter can be `key`, so they need no parsing. */
export const isPlain = (given: string) => given.charCodeAt(0) === 47 && !/[;#%]|key/.test(given)

const origin = /^https?:\/\/[^/?#]*/i

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const problem = (what: string, param?: string): ErrorBody => ({
  error: `${param === undefined ? "The path" : `Parameter "${param}"`} ${what}`,
  ...(param === undefined ? {} : { param }),
})

const brokenEncoding = "has a broken percent-encoding: write % as %25 and text as UTF-8."
const nul = "must not contain a NUL character (%00)."

/**
 * Parses the request target, or returns an error for the client. `hasOwnCheck` marks parameters whose endpoint validates
 * the value itself.
 */
export const readRequestTarget = (
  given: string,
  hasOwnCheck: (path: string, param: string) => boolean = () => false,
): RequestTarget | ErrorBody => {
  const whole = given.replace(origin, "")
  const fragment = whole.indexOf("#")
  const local = fragment === -1 ? whole : whole.slice(0, fragment)
  // The router treats a semicolon as the start of the query, so a key could follow one.
  const mark = local.search(/[?;]/)
  const path = (mark === -1 ? local : local.slice(0, mark)) || "/"
  if (path.includes("%")) {
    const text = decode(path)
    if (text === undefined) return problem(brokenEncoding)
    if (text.includes("\0")) return problem(nul)
  }
  if (mark === -1) return { url: path, keys: [] }

  const kept: Array<string> = []
  const keys: Array<string> = []
  for (const pair of local.slice(mark + 1).split("&")) {
    if (pair === "") continue
    const equals = pair.indexOf("=")
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    const name = decode(rawName)
    const value = equals === -1 ? "" : decode(pair.slice(equals + 1))
    if (name === undefined || value === undefined) return problem(brokenEncoding, (name ?? rawName).slice(0, 100))
    const hasNul = name.includes("\0") || (value.includes("\0") && !hasOwnCheck(path, name))
    if (hasNul) return problem(nul, name.replaceAll("\0", "").slice(0, 100))
    if (name === "key") keys.push(value)
    else kept.push(pair)
  }
  return { url: kept.length === 0 ? path : `${path}?${kept.join("&")}`, keys }
}
