import { Redacted } from "effect"
import type { ErrorBody } from "#src/platform/http/errorBody.ts"
import { readTarget } from "#src/platform/http/target.ts"
import { unknownParameter } from "#src/platform/http/unknownParameter.ts"

/** What the address of an upgrade says. */
export interface UpgradeQuery {
  readonly keys: ReadonlyArray<Redacted.Redacted<string>>
  /** Events are sent deflated. */
  readonly isDeflated: boolean
  /** The connection before this one, of which the client wants to know why it ended. */
  readonly last: string | undefined
}

const known: ReadonlySet<string> = new Set(["key", "compress", "last"])
const longestId = 100

const wrong = (param: string, error: string): ErrorBody => ({ error, param })

/** Reads what stands behind the question mark; gives back what is wrong with it instead, in words for the client. */
export const readUpgradeQuery = (query: string): UpgradeQuery | ErrorBody => {
  const target = readTarget(`/?${query}`)
  if ("error" in target) return target
  const given = new URLSearchParams(target.url.slice(2))
  const unknown = unknownParameter(Object.fromEntries(given), known)
  if (unknown !== undefined) return unknown
  for (const name of known)
    if (given.getAll(name).length > 1) return wrong(name, `Parameter "${name}" is given more than once.`)
  const compress = given.get("compress")
  if (compress !== null && compress !== "zlib")
    return wrong("compress", `Parameter "compress" can only be zlib; without it events are sent as text.`)
  const last = given.get("last")
  if (last !== null && (last === "" || last.length > longestId))
    return wrong(
      "last",
      `Parameter "last" is the subscriber_id of the connection before, of 1 to ${longestId} characters.`,
    )
  return {
    keys: target.keys.map((key) => Redacted.make(key)),
    isDeflated: compress === "zlib",
    last: last ?? undefined,
  }
}
