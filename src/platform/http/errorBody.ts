import { redact } from "../text/redact.ts"

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
export const clean = (body: ErrorBody): ErrorBody =>
  Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === "string" ? redact(value) : value]),
  ) as ErrorBody & Record<string, unknown>
