import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Forgets all rows of tables, those of the first of which the others depend on. Of millions a delete is longer than a
 * statement may be; but this keeps everybody else out for a moment, so it is done only where there is something.
 */
export const emptied = Effect.fnUntraced(function* (sql: SqlClient, tables: readonly [string, ...Array<string>]) {
  const there = yield* sql`select 1 from ${sql(tables[0])} limit 1`
  if (there.length > 0) yield* sql`truncate ${sql.literal(tables.join(", "))}`
})
