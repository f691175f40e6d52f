import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { BlockTime } from "#src/ledger/historyGoal.ts"

/**
 * Positions over a longer history are computed in tables of the same names in another schema, and take the place of the
 * present ones at the end. Meanwhile the present ones are read and written as always.
 */
const schema = "position_extension"

/** Tables that are computed again. */
const tables = ["position", "position_undo", "realized_event", "opening_balance"] as const

/** How far the computation is. */
export interface ExtensionState {
  readonly first: BlockTime
  /** The last block whose facts have been applied. */
  readonly block: number
  /** Whether opening balances are complete. */
  readonly isOpened: boolean
}

interface Row {
  readonly first: number
  readonly since: Date
  readonly block: number
  readonly opened: boolean
}

/** Undefined if no extension is under way. */
export const readState = Effect.fnUntraced(function* (sql: SqlClient) {
  const found = yield* sql`select 1 from pg_namespace where nspname = ${schema}`
  if (found.length === 0) return undefined
  const [row] = yield* sql<Row>`select first, since, block, opened from ${sql(schema)}.progress`
  if (row === undefined) return undefined
  const state: ExtensionState = {
    first: { number: row.first, at: row.since.getTime() },
    block: row.block,
    isOpened: row.opened,
  }
  return state
})

/** The schema of the present tables. Must run before `enter`. */
export const presentSchema = (sql: SqlClient) =>
  Effect.map(sql<{ name: string }>`select current_schema() as name`, ([row]) => row?.name ?? "public")

/** From here to the end of the transaction, the names of the tables mean those of the extension. */
export const enter = (sql: SqlClient) =>
  sql`select set_config('search_path', ${schema} || ', ' || current_schema(), true)`

/** Undoes `enter`. */
export const leave = (sql: SqlClient) => sql`reset search_path`

interface Like {
  readonly options: string | null
  readonly constraint: string
  readonly key: string
}

/** Creates the tables with their primary keys. Other indexes come last, because filling them row by row takes longer. */
export const create = Effect.fnUntraced(function* (sql: SqlClient, first: BlockTime) {
  yield* sql`create schema ${sql(schema)}`
  for (const table of tables) {
    const [like] = yield* sql<Like>`
      select 'with (' || array_to_string(c.reloptions, ', ') || ')' as options, k.conname as constraint,
        pg_get_constraintdef(k.oid) as key
      from pg_class c join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
      where c.oid = ${table}::regclass`
    if (like === undefined) continue
    const { options, constraint, key } = like
    yield* sql`
      create table ${sql(schema)}.${sql(table)} (
        like ${sql(table)} including defaults, constraint ${sql(constraint)} ${sql.literal(key)})
      ${sql.literal(options ?? "")}`
  }
  yield* sql`
    create table ${sql(schema)}.progress (
      first integer not null, since timestamptz not null, block integer not null, opened boolean not null)`
  yield* sql`
    insert into ${sql(schema)}.progress values (${first.number}, ${new Date(first.at)}, ${first.number - 1}, false)`
})

/** Drops an extension that is under way; its tables no longer follow from the facts. */
export const drop = (sql: SqlClient) => sql`drop schema if exists ${sql(schema)} cascade`

/** Must run after `enter`. */
export const moveOn = (sql: SqlClient, block: number) => sql`update progress set block = ${block}`

/** Must run after `enter`. */
export const setOpened = (sql: SqlClient) => sql`update progress set opened = true`

/** Creates the indexes that only readers need, as far as they are missing, and updates the statistics. */
export const addIndexes = Effect.fnUntraced(function* (sql: SqlClient) {
  const missing = yield* sql<{ name: string; table: string; over: string }>`
    select i.relname as name, t.relname as table, substring(pg_get_indexdef(x.indexrelid) from ' (USING .*)') as over
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
    where t.relname in ${sql.in(tables)} and t.relnamespace = to_regnamespace(current_schema()) and not x.indisprimary
      and to_regclass(${schema} || '.' || i.relname) is null`
  for (const { name, table, over } of missing) {
    yield* sql`create index ${sql(name)} on ${sql(schema)}.${sql(table)} ${sql.literal(over)}`
  }
  for (const table of tables) yield* sql`analyze ${sql(schema)}.${sql(table)}`
})

/** Replaces the present tables. Readers wait from here to the end of the transaction. */
export const replaceTables = Effect.fnUntraced(function* (sql: SqlClient) {
  const present = sql(yield* presentSchema(sql))
  yield* sql`lock table ${sql.literal(tables.join(", "))} in access exclusive mode`
  for (const table of tables) {
    yield* sql`drop table ${sql(table)}`
    yield* sql`alter table ${sql(schema)}.${sql(table)} set schema ${present}`
  }
  yield* drop(sql)
})

/** Keeps the tables from being replaced until the transaction ends: in an older snapshot the new ones would be empty. */
export const lockTables = (sql: SqlClient) => sql`lock table ${sql.literal(tables.join(", "))} in access share mode`
