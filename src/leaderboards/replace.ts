import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/**
 * The tables that are written anew as a whole. Rows go into a table without indexes, which are made behind them, and which
 * then takes the other one's place: several times as fast as deleting all rows and writing them again, and nothing is left
 * to clean up. Until the transaction is over, readers have the earlier one.
 *
 * Whoever reads them in a transaction of one snapshot has to lock them before that is taken: in an earlier snapshot a table
 * that has taken another's place is empty.
 */
export const replaceable = ["leaderboard_token", "leaderboard_rolling", "leaderboard_standing"] as const
export type Replaceable = (typeof replaceable)[number]

const nextOf = (name: string) => `${name}_next`

/** The one that is going to take the place of the other. */
export const anew = (sql: SqlClient, table: Replaceable): Fragment => sql`${sql(nextOf(table))}`

interface Index {
  readonly name: string
  readonly primary: boolean
  readonly unique: boolean
  /** From `using` on. */
  readonly over: string
}

const indexesOf = (sql: SqlClient, table: Replaceable) =>
  sql<Index>`
    select i.relname as name, x.indisprimary as primary, x.indisunique as unique,
      substring(pg_get_indexdef(x.indexrelid) from ' (USING .*)') as over
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = ${table}::regclass order by i.relname`

/** Writes all rows of a table, which have its columns in its order, for it to be replaced. */
export const writeAnew = Effect.fnUntraced(function* (sql: SqlClient, table: Replaceable, rows: Fragment) {
  const next = sql(nextOf(table))
  const [like] = yield* sql<{ options: string | null; needed: ReadonlyArray<string> }>`
    select 'with (' || array_to_string(reloptions, ', ') || ')' as options,
      (select array_agg(attname::text) from pg_attribute where attrelid = c.oid and attnum > 0 and attnotnull) as needed
    from pg_class c where c.oid = ${table}::regclass`
  if (like === undefined) return
  // Only a table that is made of a query is filled by several processes.
  yield* sql`create table ${next} ${sql.literal(like.options ?? "")} as ${rows}`
  const needed = like.needed.map((column) => sql`alter ${sql(column)} set not null`)
  yield* sql`alter table ${next} ${sql.join(", ", false)(needed)}`
  for (const { name, unique, over } of yield* indexesOf(sql, table)) {
    yield* sql`create ${sql.literal(unique ? "unique" : "")} index ${sql(nextOf(name))} on ${next} ${sql.literal(over)}`
  }
  yield* sql`analyze ${next}`
})

/** Until the transaction ends. */
export const lockReplaceable = (sql: SqlClient, mode: "access share" | "access exclusive") =>
  sql`lock table ${sql.literal(replaceable.join(", "))} in ${sql.literal(mode)} mode`

/**
 * Readers wait no longer than this; whoever reads for long, like a backup, is waited for in between. Longer than the second
 * after which Postgres breaks off a vacuum of its own that stands in the way.
 */
const lockTimeout = "1500ms"
const patience = Schedule.max([Schedule.spaced("3 seconds"), Schedule.during("10 minutes")])

/** Together with the state, so that nobody who has that is waited for while readers wait. */
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

/** Those that were written anew take their places; the last thing to be done, because readers wait from here on. */
export const replaceAll = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* lockAll(sql)
  for (const table of replaceable) {
    const indexes = yield* indexesOf(sql, table)
    yield* sql`drop table ${sql(table)}`
    yield* sql`alter table ${sql(nextOf(table))} rename to ${sql(table)}`
    for (const { name, primary } of indexes) {
      yield* primary
        ? sql`alter table ${sql(table)} add constraint ${sql(name)} primary key using index ${sql(nextOf(name))}`
        : sql`alter index ${sql(nextOf(name))} rename to ${sql(name)}`
    }
  }
})
