import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"

/** Rows per statement: a long delete would block other sessions. */
const chunk = 5_000

type Delete = Effect.Effect<ReadonlyArray<unknown>, SqlError>

/** Repeats until nothing is left; returns the number of rows. */
const inChunks = Effect.fnUntraced(function* (deleteChunk: Delete) {
  let total = 0
  while (true) {
    const { length } = yield* deleteChunk
    total += length
    if (length < chunk) return total
  }
})

/** State of tokens whose condition was resolved long ago: no more events follow. */
const deleteResolved = (sql: SqlClient, table: "webhook_price" | "webhook_pnl", moment: Date) =>
  inChunks(sql`
    delete from ${sql(table)} where ctid in (
      select p.ctid from ${sql(table)} p join token t on t.id = p.token join resolution r on r.condition = t.condition
      where r.at < ${moment}::timestamptz limit ${chunk} for update of p skip locked) returning 1`)

/** Deletes everything older than a moment except pending deliveries; returns the numbers of deliveries and attempts. */
export const deleteBefore = Effect.fnUntraced(function* (sql: SqlClient, moment: Date) {
  const attempts = yield* inChunks(sql`
    delete from webhook_attempt where id in (
      select id from webhook_attempt where at < ${moment}::timestamptz limit ${chunk}) returning 1`)
  const deliveries = yield* inChunks(sql`
    delete from webhook_delivery where id in (
      select id from webhook_delivery where created_at < ${moment}::timestamptz and status <> 'pending'
      order by created_at limit ${chunk} for update skip locked) returning 1`)
  yield* deleteResolved(sql, "webhook_price", moment)
  yield* deleteResolved(sql, "webhook_pnl", moment)
  yield* sql`delete from webhook_quota where day < ${moment}::timestamptz::date`
  // Idempotency keys are valid for a day, however short the retention.
  yield* sql`delete from webhook_creation where at < ${moment}::timestamptz - interval '1 day'`
  yield* sql`delete from webhook_deleted where at < ${moment}::timestamptz - interval '1 day'`
  return { attempts, deliveries }
})

/** Makes attempts due that a clock ahead has put off to after `latest`, and releases their claims. */
export const bringForward = (sql: SqlClient, now: Date, latest: Date) =>
  Effect.map(
    sql`
      update webhook_delivery set next_at = least(next_at, ${now}::timestamptz),
        claimed_until = case when claimed_until > ${latest}::timestamptz then ${now}::timestamptz else claimed_until end
      where status = 'pending' and (next_at > ${latest}::timestamptz or claimed_until > ${latest}::timestamptz)
      returning 1`,
    ({ length }) => length,
  )
