import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type Columns, fieldsOf, rowsOf } from "./bulkColumns.ts"

export interface BulkUpdate<A> {
  readonly table: string
  /** What a row is found by. */
  readonly key: Columns<A, undefined>
  /** What it gets. */
  readonly columns: Columns<A, undefined>
}

/** Changes many rows with one statement; those that are not there stay so. */
export const bulkUpdate = <A>({ table, key, columns }: BulkUpdate<A>) => {
  const { names, values, rows, parameters } = rowsOf(fieldsOf({ ...key, ...columns }))
  const keys = Object.keys(key).length
  const equals = names.map((name, i) => `${name} = ${values[i]}`)
  const text = `update ${table} t set ${equals.slice(keys).join(", ")} from ${rows}
    where ${equals
      .slice(0, keys)
      .map((equal) => `t.${equal}`)
      .join(" and ")}`
  return (sql: SqlClient, items: ReadonlyArray<A>) =>
    Effect.suspend(() =>
      items.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(text, parameters(items, undefined))),
    )
}
