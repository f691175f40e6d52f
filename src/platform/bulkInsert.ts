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
  | "date"
  | "timestamptz"
  | "int4[]"
  | "int8[]"

const isList = (type: ColumnType): type is "int4[]" | "int8[]" => type.endsWith("[]")

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
  // A list of lists would be flattened, so lists go as text and are read again.
  const sent = (name: keyof Row & string) => {
    const type: ColumnType = spec.columns[name]
    return isList(type) ? "text" : type
  }
  const arrays = names.map((name, i) => `$${i + 1}::${sent(name)}[]`).join(", ")
  const read = names.map((name) => `u."${name}"${isList(spec.columns[name]) ? `::${spec.columns[name]}` : ""}`)
  const text = `insert into ${spec.table} (${quoted}) select ${read.join(", ")} from unnest(${arrays}) u(${quoted}) ${spec.suffix ?? ""}`
  return <Returned extends object = never>(sql: SqlClient, rows: ReadonlyArray<Row>) =>
    Effect.suspend(() => {
      if (rows.length === 0) return Effect.succeed([] as ReadonlyArray<Returned>)
      const parameters = names.map((name) =>
        pgArray(
          sent(name),
          rows.map((row) => (isList(spec.columns[name]) ? `{${String(row[name])}}` : row[name])),
        ),
      )
      return sql.unsafe<Returned>(text, parameters)
    })
}
