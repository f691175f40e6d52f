import { Redacted } from "effect"
import { type ErrorBody, unknownParameter } from "#src/platform/http/errorBody.ts"
import { readRequestTarget } from "#src/platform/http/requestTarget.ts"

/** The parsed query of an upgrade request. */
export interface UpgradeQuery {
  readonly keys: ReadonlyArray<Redacted.Redacted<string>>
  /** Whether events are sent deflated. */
  readonly isDeflated: boolean
  /** Id of the client's previous connection, to report why it ended. */
  readonly last: string | undefined
}

const known: ReadonlySet<string> = new Set(["key", "compress", "last"])
const maxIdLength = 100

const invalid = (param: string, error: string): ErrorBody => ({ error, param })

/** Parses the query string; returns the error body for the client if it is invalid. */
export const readUpgradeQuery = (query: string): UpgradeQuery | ErrorBody => {
  const target = readRequestTarget(`/?${query}`)
  if ("error" in target) return target
  const given = new URLSearchParams(target.url.slice(2))
  const unknown = unknownParameter(Object.fromEntries(given), known)
  if (unknown !== undefined) return unknown
  for (const name of known)
    if (given.getAll(name).length > 1) return invalid(name, `Parameter "${name}" is given more than once.`)
  const compress = given.get("compress")
  if (compress !== null && compress !== "zlib")
    return invalid("compress", `Parameter "compress" can only be zlib. Without it, events are sent as text.`)
  const last = given.get("last")
  if (last !== null && (last === "" || last.length > maxIdLength))
    return invalid(
      "last",
      `Parameter "last" is the subscriber_id of the previous connection, 1 to ${maxIdLength} characters.`,
    )
  return {
    keys: target.keys.map((key) => Redacted.make(key)),
    isDeflated: compress === "zlib",
    last: last ?? undefined,
  }
}
