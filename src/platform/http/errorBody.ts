import { redact } from "../text/redact.ts"
import { closestName } from "../text/spelling.ts"

/** Body of every error response: a sentence for people, then fields for programs. */
export interface ErrorBody {
  readonly error: string
  readonly [field: string]: unknown
}

/** An error response, independent of the HTTP library. */
export interface RefusedAnswer {
  readonly status: number
  readonly body: ErrorBody
  readonly headers: Readonly<Record<string, string>>
}

/** Error texts quote the request, which may contain a misplaced key. */
export const redactBody = (body: ErrorBody): ErrorBody =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === "string" ? redact(value) : value]),
  ) as ErrorBody & Record<string, unknown>

/** The error for the first unknown query parameter, if any. */
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
