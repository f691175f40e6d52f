import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** An arbitrary but fixed number: held while the day's free keys are counted. */
const countLock = 0x667265
const today = "(now() at time zone 'UTC')::date"

/** Claims the address for today; false if it already got a key. Uses the database clock, which all processes share. */
export const claim = (sql: SqlClient, address: Uint8Array) =>
  Effect.map(
    sql`insert into free_key_grant (day, address) values (${sql.literal(today)}, ${address})
      on conflict do nothing returning 1`,
    (rows) => rows.length > 0,
  )

/** Number of keys issued today, including this one. Other transactions wait until this one ends. */
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
