import type { ErrorBody } from "./errorBody.ts"

/** The address of a request as the rest of the service may see it: without origin, fragment and API key. */
export interface RequestTarget {
  readonly url: string
  /** The values of `?key=`, which must reach no log, span or metric. */
  readonly keys: ReadonlyArray<string>
}

/** True of most addresses: nothing in them is encoded or could be a parameter named `key`, so they stay as they are. */
export const isPlain = (given: string) => given.charCodeAt(0) === 47 && !/[;#%]|key/.test(given)

const origin = /^https?:\/\/[^/?#]*/i

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const wrong = (what: string, param?: string): ErrorBody => ({
  error: `${param === undefined ? "The path" : `Parameter "${param}"`} ${what}`,
  ...(param === undefined ? {} : { param }),
})

const brokenEncoding = "has a broken percent-encoding: write % as %25 and text as UTF-8."
const nul = "must not contain a NUL character (%00)."

/**
 * Reads the request target; gives back what is wrong with it instead, in words for the client. `checksItself` is of
 * parameters whose endpoint has words of its own for what is in them.
 */
export const readRequestTarget = (
  given: string,
  checksItself: (path: string, param: string) => boolean = () => false,
): RequestTarget | ErrorBody => {
  const whole = given.replace(origin, "")
  const fragment = whole.indexOf("#")
  const local = fragment === -1 ? whole : whole.slice(0, fragment)
  // The router takes a semicolon for the start of the query, so a key could hide behind one.
  const mark = local.search(/[?;]/)
  const path = (mark === -1 ? local : local.slice(0, mark)) || "/"
  if (path.includes("%")) {
    const text = decode(path)
    if (text === undefined) return wrong(brokenEncoding)
    if (text.includes("\0")) return wrong(nul)
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
    if (name === undefined || value === undefined) return wrong(brokenEncoding, (name ?? rawName).slice(0, 100))
    const hasNul = name.includes("\0") || (value.includes("\0") && !checksItself(path, name))
    if (hasNul) return wrong(nul, name.replaceAll("\0", "").slice(0, 100))
    if (name === "key") keys.push(value)
    else kept.push(pair)
  }
  return { url: kept.length === 0 ? path : `${path}?${kept.join("&")}`, keys }
}
