import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { factTables } from "./LedgerRows.ts"

const filled = [...factTables, "position"]

/** Takes away the indexes that only readers need, and notes how to make them again. */
export const deferIndexes = Effect.fnUntraced(function* (sql: SqlClient) {
  const deferred = yield* sql<{ name: string }>`
    insert into deferred_index (name, definition)
    select i.relname, replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ')
    from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_class t on t.oid = x.indrelid
      join pg_am m on m.oid = i.relam
    where t.relname = any(${pgArray("text", filled)}) and t.relnamespace = to_regnamespace(current_schema())
      and not x.indisunique and m.amname <> 'brin'
    on conflict do nothing
    returning name`
  for (const { name } of deferred) yield* sql`drop index ${sql(name)}`
})

/** Two at a time: one alone leaves processors idle, and more want much memory at once. */
const indexesAtOnce = 2

/** Makes those indexes that were taken away, each for itself, so that what is done is done; how many that were. */
export const restoreIndexes = Effect.fnUntraced(function* (sql: SqlClient) {
  const missing = yield* sql<{ name: string; definition: string }>`select name, definition from deferred_index`
  const make = ({ name, definition }: (typeof missing)[number]) =>
    sql.withTransaction(
      Effect.gen(function* () {
        const mine = yield* sql`delete from deferred_index where name = ${name} returning name`
        if (mine.length > 0) yield* sql.unsafe(definition)
      }),
    )
  yield* Effect.forEach(missing, make, { concurrency: indexesAtOnce, discard: true })
  return missing.length
})
