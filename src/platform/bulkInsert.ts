import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type Columns, type ColumnType, type Field, fieldsOf, rowsOf } from "./bulkColumns.ts"

/** Inserts many items with one statement. Returns what the suffix returns. */
const inserter = <A, C>(table: string, columns: ReadonlyArray<Field<A, C>>, suffix = "") => {
  const { names, values, rows, parameters } = rowsOf(columns)
  const text = `insert into ${table} (${names.join(", ")}) select ${values.join(", ")} from ${rows} ${suffix}`
  return <Returned extends object>(sql: SqlClient, items: ReadonlyArray<A>, context: C) =>
    Effect.suspend(() =>
      items.length === 0
        ? Effect.succeed([] as ReadonlyArray<Returned>)
        : sql.unsafe<Returned>(text, parameters(items, context)),
    )
}

interface Into {
  readonly table: string
  /** What follows the select, such as `on conflict do nothing` or `returning id`. */
  readonly suffix?: string
}

export interface BulkTable<Row> extends Into {
  /** Column names and types, in order; the names are the row's keys. */
  readonly columns: { readonly [K in keyof Row & string]: ColumnType }
}

/** Rows that have what is stored as it is. */
export const bulkInsert = <Row extends object>({ table, columns, suffix }: BulkTable<Row>) => {
  const names = Object.keys(columns) as Array<keyof Row & string>
  const insert = inserter<Row, undefined>(
    table,
    names.map((name) => ({ name, type: columns[name], read: (row) => row[name] })),
    suffix,
  )
  return <Returned extends object = never>(sql: SqlClient, rows: ReadonlyArray<Row>) =>
    insert<Returned>(sql, rows, undefined)
}

export interface BulkColumns<A, C> extends Into {
  readonly columns: Columns<A, C>
}

/** Whatever the columns can be read from, where rows of their own would be too many objects. */
export const bulkInsertFrom = <A, C>({ table, columns, suffix }: BulkColumns<A, C>) => {
  const insert = inserter(table, fieldsOf(columns), suffix)
  return (sql: SqlClient, items: ReadonlyArray<A>, context: C) => insert<never>(sql, items, context)
}
