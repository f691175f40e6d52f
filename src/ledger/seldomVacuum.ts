import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { factTables } from "./LedgerRows.ts"

const filled = [...factTables, "position", "block", "wallet", "token", "condition"]

/** At a million rows for the first time, and then whenever there are five times as many. */
const seldom = ["analyze", "vacuum", "vacuum_insert"].flatMap((what) => [
  [`autovacuum_${what}_threshold`, 1_000_000] as const,
  [`autovacuum_${what}_scale_factor`, 4] as const,
])

/** How `pg_class` shows the first of them. */
const [name, value] = seldom[0] as (typeof seldom)[number]
const mark = `${name}=${value}`

export const vacuumSeldom = (sql: SqlClient, table: string) => {
  const options = seldom.map(([name, value]) => `${name} = ${value}`).join(", ")
  return Effect.asVoid(sql`alter table ${sql(table)} set (${sql.literal(options)})`)
}

/**
 * Keeps Postgres from going over the tables again and again while history fills them: hardly anything in them is taken away,
 * whoever would read them waits, and it takes a thirtieth of the time. Of very large ones it still has to know what is in
 * them, or the follower's own questions are badly planned.
 */
export const vacuumAllSeldom = Effect.fnUntraced(function* (sql: SqlClient) {
  const tables = yield* sql<{ name: string }>`
    select c.relname as name from pg_class c left join pg_inherits i on i.inhrelid = c.oid
    where c.relkind = 'r' and c.relnamespace = to_regnamespace(current_schema())
      and (c.relname = any(${pgArray("text", filled)}) or i.inhparent = 'fill'::regclass)`
  for (const { name } of tables) yield* vacuumSeldom(sql, name)
})

/** They are looked after as all are again, for the first time within a minute. */
export const vacuumAsUsual = Effect.fnUntraced(function* (sql: SqlClient) {
  const tables = yield* sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = to_regnamespace(current_schema()) and ${mark} = any(reloptions)`
  const options = seldom.map(([name]) => name).join(", ")
  for (const { name } of tables) yield* sql`alter table ${sql(name)} reset (${sql.literal(options)})`
})
