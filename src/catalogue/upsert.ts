import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type BulkTable, bulkInsert } from "#src/platform/sql/bulkWrite.ts"

interface Written {
  readonly id: number
  readonly inserted: boolean
}

/** Inserts rows or brings them up to date by their id; rows that are as they were are not touched and not returned. */
export const upsert = <Row extends { readonly id: number }>(
  table: string,
  columns: BulkTable<Row>["columns"],
  /** Columns that are only written when the row is new. */
  lasting: ReadonlyArray<keyof Row & string> = [],
) => {
  const changing = (Object.keys(columns) as Array<keyof Row & string>).filter(
    (name) => name !== "id" && !lasting.includes(name),
  )
  const listed = (prefix: string) => changing.map((name) => `${prefix}."${name}"`).join(", ")
  const insert = bulkInsert<Row>({
    table,
    columns,
    suffix: `on conflict (id) do update set ${changing.map((name) => `"${name}" = excluded."${name}"`).join(", ")}
      where (${listed(table)}) is distinct from (${listed("excluded")})
      returning ${table}.id, (${table}.xmax = 0) as inserted`,
  })
  return (sql: SqlClient, rows: Iterable<Row>) =>
    // The same row twice in one statement is refused; the last one said is the one that counts. In order of id, so that
    // two writers do not wait for each other.
    Effect.suspend(() => {
      const byId = new Map<number, Row>()
      for (const row of rows) byId.set(row.id, row)
      return insert<Written>(
        sql,
        [...byId.values()].sort((a, b) => a.id - b.id),
      )
    })
}
