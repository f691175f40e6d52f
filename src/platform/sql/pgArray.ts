import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

type ElementType = keyof typeof PgTypes.OID

/** An array parameter: `= any(${pgArray("int4", ids)})`, or `pgArray("int4", rows, ({ id }) => id)`. */
export const pgArray = <A>(type: ElementType, values: Iterable<A>, read?: (value: A) => unknown) => {
  const elements =
    read === undefined ? (Array.isArray(values) ? values : [...values]) : Array.from(values, (value) => read(value))
  return Result.getOrThrow(PgTypes.array(elements, PgTypes.OID[type]))
}

/**
 * Items as a table in a statement, one array parameter per column:
 * `from ${unnest(sql, "n", items, { id: ["int4", ({ id }) => id] })}` is `from unnest($1) as n(id)`.
 */
export const unnest = <A>(
  sql: SqlClient,
  alias: string,
  items: ReadonlyArray<A>,
  columns: Readonly<Record<string, readonly [type: ElementType, read: (item: A) => unknown]>>,
) => {
  const arrays = Object.values(columns).map(([type, read]) => sql`${pgArray(type, items, read)}`)
  const names = Object.keys(columns).map((name) => sql`${sql(name)}`)
  return sql`unnest(${sql.csv(arrays)}) as ${sql(alias)}(${sql.csv(names)})`
}
