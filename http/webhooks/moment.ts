import { Effect } from "effect"
import { BadInput } from "../errors.ts"

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/
/** Seconds until the year 9999. */
const latest = 253_402_300_799

const wrong = (field: string, got: string, hint: string) =>
  Effect.fail(
    new BadInput({
      error: `Field "${field}": expected Unix seconds or a moment such as 2026-11-15T12:00:00Z, got ${got}.`,
      field,
      hint,
    }),
  )

/** A moment as clients write it. */
export const readMoment = (field: string, given: number | string): Effect.Effect<Date, BadInput> => {
  if (typeof given === "string") {
    const millis = iso.test(given) ? Date.parse(given) : Number.NaN
    if (!Number.isNaN(millis)) return Effect.succeed(new Date(millis))
    return wrong(field, JSON.stringify(given.slice(0, 100)), "A moment in ISO 8601 ends with Z or an offset.")
  }
  if (given >= 0 && given <= latest) return Effect.succeed(new Date(Math.floor(given * 1000)))
  return wrong(field, String(given), given > latest ? "Milliseconds have to be divided by 1000." : "Not before 1970.")
}
