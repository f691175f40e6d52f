import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "./pgArray.ts"

type ColumnType =
  | "bool"
  | "int2"
  | "int4"
  | "int8"
  | "float8"
  | "numeric"
  | "text"
  | "bytea"
  | "jsonb"
  | "uuid"
  | "timestamptz"

export interface BulkTable<Row> {
  readonly table: string
  /** Column names and types, in order; the names are the row's keys. */
  readonly columns: { readonly [K in keyof Row & string]: ColumnType }
  /** What follows the select, such as `on conflict do nothing` or `returning id`. */
  readonly suffix?: string
}

/**
 * Inserts many rows with one statement, `insert … select from unnest`, one array parameter per
 * column: no limit of 32,767 parameters, one plan for every batch size. Returns what the suffix returns.
 */
export const bulkInsert = <Row extends object>(spec: BulkTable<Row>) => {
  const names = Object.keys(spec.columns) as Array<keyof Row & string>
  const quoted = names.map((name) => `"${name}"`).join(", ")
  const arrays = names.map((name, i) => `$${i + 1}::${spec.columns[name]}[]`).join(", ")
  const text = `insert into ${spec.table} (${quoted}) select * from unnest(${arrays}) ${spec.suffix ?? ""}`
  return <Returned extends object = never>(sql: SqlClient, rows: ReadonlyArray<Row>) =>
    Effect.suspend(() => {
      if (rows.length === 0) return Effect.succeed([] as ReadonlyArray<Returned>)
      const parameters = names.map((name) =>
        pgArray(
          spec.columns[name],
          rows.map((row) => row[name]),
        ),
      )
      return sql.unsafe<Returned>(text, parameters)
    })
}
