import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/**
 * Tables that a rebuild replaces as a whole. Rows go into a new table without indexes, which are created afterwards, and
 * the new table then takes the place of the old one. That is several times as fast as deleting and inserting all rows, and
 * leaves nothing to vacuum. Readers see the old table until the transaction commits.
 *
 * A transaction that reads them under one snapshot must lock them before it takes the snapshot: in an older snapshot a
 * replacement table is empty.
 */
export const replaceable = [
  "leaderboard_token",
  "leaderboard_rolling",
  "leaderboard_standing",
  "leaderboard_open",
] as const
export type Replaceable = (typeof replaceable)[number]

const replacementOf = (name: string) => `${name}_next`

/** The table that will replace the present one. */
export const replacements = (sql: SqlClient, table: Replaceable): Fragment => sql`${sql(replacementOf(table))}`

interface Index {
  readonly name: string
  readonly primary: boolean
  readonly unique: boolean
  /** The index definition from `using` on. */
  readonly over: string
}

const indexesOf = (sql: SqlClient, table: Replaceable) =>
  sql<Index>`
    select i.relname as name, x.indisprimary as primary, x.indisunique as unique,
      substring(pg_get_indexdef(x.indexrelid) from ' (USING .*)') as over
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = ${table}::regclass order by i.relname`

/** Writes all rows of a replacement table, with its columns in its order. */
export const writeReplacement = Effect.fnUntraced(function* (sql: SqlClient, table: Replaceable, rows: Fragment) {
  const next = sql(replacementOf(table))
  const [like] = yield* sql<{ options: string | null; needed: ReadonlyArray<string> }>`
    select 'with (' || array_to_string(reloptions, ', ') || ')' as options,
      (select array_agg(attname::text) from pg_attribute where attrelid = c.oid and attnum > 0 and attnotnull) as needed
    from pg_class c where c.oid = ${table}::regclass`
  if (like === undefined) return
  // Only `create table as` is filled by parallel workers.
  yield* sql`create table ${next} ${sql.literal(like.options ?? "")} as ${rows}`
  const needed = like.needed.map((column) => sql`alter ${sql(column)} set not null`)
  yield* sql`alter table ${next} ${sql.join(", ", false)(needed)}`
  for (const { name, unique, over } of yield* indexesOf(sql, table)) {
    yield* sql`create ${sql.literal(unique ? "unique" : "")} index ${sql(replacementOf(name))} on ${next} ${sql.literal(over)}`
  }
  yield* sql`analyze ${next}`
})

/** Locks until the transaction ends. */
export const lockReplaceable = (sql: SqlClient, mode: "access share" | "access exclusive") =>
  sql`lock table ${sql.literal(replaceable.join(", "))} in ${sql.literal(mode)} mode`

/**
 * Readers wait no longer than this; between attempts, long readers such as a backup proceed. It is longer than the second
 * after which Postgres cancels an autovacuum that blocks the lock.
 */
const lockTimeout = "1500ms"
const patience = Schedule.max([Schedule.spaced("3 seconds"), Schedule.during("10 minutes")])

/** Locks the state as well, so that readers do not wait behind a holder of it. */
const lockAll = (sql: SqlClient) =>
  Effect.retry(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set local lock_timeout = ${sql.literal(`'${lockTimeout}'`)}`
        yield* sql`lock table leaderboard_state in row exclusive mode`
        yield* sql`select from leaderboard_state for update`
        yield* lockReplaceable(sql, "access exclusive")
      }),
    ),
    { while: (error) => error.reason._tag === "LockTimeoutError", schedule: patience },
  )

/** Swaps the tables. It comes last, because readers wait from here on. */
export const replaceAll = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* lockAll(sql)
  for (const table of replaceable) {
    const indexes = yield* indexesOf(sql, table)
    yield* sql`drop table ${sql(table)}`
    yield* sql`alter table ${sql(replacementOf(table))} rename to ${sql(table)}`
    for (const { name, primary } of indexes) {
      yield* primary
        ? sql`alter table ${sql(table)} add constraint ${sql(name)} primary key using index ${sql(replacementOf(name))}`
        : sql`alter index ${sql(replacementOf(name))} rename to ${sql(name)}`
    }
  }
})
