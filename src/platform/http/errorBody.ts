import { redact } from "../text/redact.ts"
import { closestName } from "../text/spelling.ts"

/** The complaint about the first query parameter that is not in the list. */
export const unknownParameter = (
  given: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): { readonly error: string; readonly param: string } | undefined => {
  for (const name in given) {
    if (known.has(name)) continue
    const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
    const near = closestName(name, known)
    const hint =
      near !== undefined
        ? `Did you mean "${near}"?`
        : known.size === 0
          ? "This endpoint takes no query parameters."
          : `Known parameters: ${[...known].join(", ")}.`
    return { error: `Unknown parameter "${shown}". ${hint}`, param: shown }
  }
  return undefined
}

/** What every refusal looks like on the wire: a sentence for a person, then what a program may want. */
export interface ErrorBody {
  readonly error: string
  readonly [field: string]: unknown
}

/** An answer that says no, before it is in the words of a library. */
export interface RefusedAnswer {
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Readonly<Record<string, string>>
}

/** Errors repeat what was sent, which may be a key in the wrong place. */
export const redactBody = (body: ErrorBody): ErrorBody =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === "string" ? redact(value) : value]),
  ) as ErrorBody & Record<string, unknown>
