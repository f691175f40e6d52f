import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** An array as a parameter of a statement, such as `= any(${pgArray("int4", ids)})`. */
export const pgArray = (type: keyof typeof PgTypes.OID, values: Iterable<unknown>) =>
  Result.getOrThrow(PgTypes.array(Array.isArray(values) ? values : [...values], PgTypes.OID[type]))
