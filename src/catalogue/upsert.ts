import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type BulkTable, bulkInsert } from "#src/platform/sql/bulkWrite.ts"

interface WrittenRow<Id> {
  readonly id: Id
  readonly inserted: boolean
}

/** Inserts or updates rows by id. Unchanged rows are neither written nor returned. */
export const upsert = <Row extends { readonly id: number | string }>(
  table: string,
  columns: BulkTable<Row>["columns"],
) => {
  const changing = Object.keys(columns).filter((name) => name !== "id")
  const listed = (prefix: string) => changing.map((name) => `${prefix}."${name}"`).join(", ")
  const insert = bulkInsert<Row>({
    table,
    columns,
    suffix: `on conflict (id) do update set ${changing.map((name) => `"${name}" = excluded."${name}"`).join(", ")}
      where (${listed(table)}) is distinct from (${listed("excluded")})
      returning ${table}.id, (${table}.xmax = 0) as inserted`,
  })
  return (sql: SqlClient, rows: Iterable<Row>) =>
    // Postgres rejects the same row twice in one statement, so the last one counts. Sorted by id, so that concurrent
    // writers do not deadlock.
    Effect.suspend(() => {
      const byId = new Map<Row["id"], Row>()
      for (const row of rows) byId.set(row.id, row)
      return insert<WrittenRow<Row["id"]>>(
        sql,
        [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
      )
    })
}
