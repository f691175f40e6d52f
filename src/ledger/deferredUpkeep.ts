import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { factTables } from "./factRows.ts"

/** The follower itself reads them to find the combos that a resolution decides. */
const readWhileFilled: ReadonlySet<string> = new Set(["combo", "condition_rename"])

const indexedTables = [...factTables.filter((table) => !readWhileFilled.has(table)), "position"]
const filledTables = [...indexedTables, ...readWhileFilled, "block", "wallet", "token", "condition"]

/** Drops the indexes that only readers need, and stores their definitions. Recent events are read by block meanwhile. */
export const deferIndexes = Effect.fnUntraced(function* (sql: SqlClient) {
  const deferred = yield* sql<{ name: string }>`
    insert into deferred_index (name, definition)
    select i.relname, replace(pg_get_indexdef(x.indexrelid), ' ON ONLY ', ' ON ')
    from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_class t on t.oid = x.indrelid
      join pg_am m on m.oid = i.relam
    where t.relname = any(${pgArray("text", indexedTables)}) and t.relnamespace = to_regnamespace(current_schema())
      and not x.indisunique and m.amname <> 'brin' and i.relname <> 'fill_block'
    on conflict do nothing
    returning name`
  for (const { name } of deferred) yield* sql`drop index ${sql(name)}`
})

/** First at a million rows, then whenever a table has grown fivefold. */
const reduced = ["analyze", "vacuum", "vacuum_insert"].flatMap((task) => [
  [`autovacuum_${task}_threshold`, 1_000_000] as const,
  [`autovacuum_${task}_scale_factor`, 4] as const,
])

/** The first option as `pg_class` shows it. */
const [name, value] = reduced[0] as (typeof reduced)[number]
const mark = `${name}=${value}`

export const reduceVacuum = (sql: SqlClient, table: string) => {
  const options = reduced.map(([name, value]) => `${name} = ${value}`).join(", ")
  return Effect.asVoid(sql`alter table ${sql(table)} set (${sql.literal(options)})`)
}

/**
 * Reduces autovacuum while a backfill fills the tables: hardly any row is deleted, readers wait, and it takes a thirtieth of
 * the time. Very large tables still need statistics, or the follower's own queries get bad plans.
 */
export const reduceAllVacuum = Effect.fnUntraced(function* (sql: SqlClient) {
  const tables = yield* sql<{ name: string }>`
    select c.relname as name from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = to_regnamespace(current_schema())
      and (c.relname = any(${pgArray("text", filledTables)}) or i.inhparent = 'fill'::regclass)`
  for (const { name } of tables) yield* reduceVacuum(sql, name)
})

/** One at a time leaves processors idle; more need much memory at once. */
const indexConcurrency = 2

/** An index of a table with a billion rows takes a quarter of an hour. */
const limit = "1 hour"

/** Each in its own transaction, so that finished ones stay. Returns how many there were. */
const restoreIndexes = Effect.fnUntraced(function* (sql: SqlClient, tx: Postgres["Service"]["tx"]) {
  const missing = yield* sql<{ name: string; definition: string }>`select name, definition from deferred_index`
  const create = ({ name, definition }: (typeof missing)[number]) =>
    tx(
      Effect.gen(function* () {
        const claimed = yield* sql`delete from deferred_index where name = ${name} returning name`
        if (claimed.length > 0) yield* sql.unsafe(definition)
      }),
      limit,
    )
  yield* Effect.forEach(missing, create, { concurrency: indexConcurrency, discard: true })
  return missing.length
})

/**
 * Recreates the deferred indexes, analyzes the tables and restores the default autovacuum. Autovacuum would analyze only
 * within a minute, and without statistics the first counts take minutes instead of seconds.
 */
export const restoreUpkeep = Effect.fnUntraced(function* (sql: SqlClient, tx: Postgres["Service"]["tx"]) {
  const restored = yield* restoreIndexes(sql, tx)
  const tables = yield* sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = to_regnamespace(current_schema()) and ${mark} = any(reloptions)`
  if (tables.length > 0) {
    yield* Effect.forEach(filledTables, (table) => tx(sql`analyze ${sql(table)}`, limit), {
      concurrency: indexConcurrency,
      discard: true,
    })
  }
  const options = reduced.map(([name]) => name).join(", ")
  for (const { name } of tables) yield* sql`alter table ${sql(name)} reset (${sql.literal(options)})`
  return restored
})
