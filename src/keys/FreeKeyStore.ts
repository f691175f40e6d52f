import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** Any number, but always this one: held while the day's free keys are counted. */
const countLock = 0x667265
const today = "(now() at time zone 'UTC')::date"

/** Whether the address had no key yet today. By the database's clock, the one that all processes share. */
export const claim = (sql: SqlClient, address: Uint8Array) =>
  Effect.map(
    sql`insert into free_key_grant (day, address) values (${sql.literal(today)}, ${address})
      on conflict do nothing returning 1`,
    (rows) => rows.length > 0,
  )

/** How many were given out today, this one included. Others wait with counting until the transaction ends. */
export const countToday = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`select pg_advisory_xact_lock(${countLock})`
  yield* sql`delete from free_key_grant where day < ${sql.literal(today)}`
  const [row] = yield* sql<{ n: number }>`
    select count(*)::int as n from free_key_grant where day = ${sql.literal(today)}`
  return row?.n ?? 0
})

/** The next midnight UTC. */
export const nextDay = (sql: SqlClient) =>
  Effect.map(
    sql<{ at: Date }>`select (${sql.literal(today)} + 1)::timestamp at time zone 'UTC' as at`,
    ([row]) => row?.at ?? new Date(0),
  )
