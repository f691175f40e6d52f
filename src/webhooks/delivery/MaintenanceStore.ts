import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"

/** So many at a time: a long delete would hold what others wait for. */
const most = 5_000

type Forget = Effect.Effect<ReadonlyArray<unknown>, SqlError>

/** Again and again until nothing is left; tells how many. */
const inParts = Effect.fnUntraced(function* (part: Forget) {
  let all = 0
  while (true) {
    const { length } = yield* part
    all += length
    if (length < most) return all
  }
})

/** What webhooks were told last of tokens whose condition was resolved long ago: nothing more comes of them. */
const forgetResolved = (sql: SqlClient, table: "webhook_price" | "webhook_pnl", moment: Date) =>
  inParts(sql`
    delete from ${sql(table)} where ctid in (
      select p.ctid from ${sql(table)} p join token t on t.id = p.token join resolution r on r.condition = t.condition
      where r.at < ${moment}::timestamptz limit ${most} for update of p skip locked) returning 1`)

/** Forgets what is older than a moment, except what is still owed; tells how many deliveries and attempts that were. */
export const forgetBefore = Effect.fnUntraced(function* (sql: SqlClient, moment: Date) {
  const attempts = yield* inParts(sql`
    delete from webhook_attempt where id in (
      select id from webhook_attempt where at < ${moment}::timestamptz limit ${most}) returning 1`)
  const deliveries = yield* inParts(sql`
    delete from webhook_delivery where id in (
      select id from webhook_delivery where created_at < ${moment}::timestamptz and status <> 'pending'
      order by created_at limit ${most} for update skip locked) returning 1`)
  yield* forgetResolved(sql, "webhook_price", moment)
  yield* forgetResolved(sql, "webhook_pnl", moment)
  yield* sql`delete from webhook_quota where day < ${moment}::timestamptz::date`
  // Keys of requests count for a day, however little of the history is kept.
  yield* sql`delete from webhook_creation where at < ${moment}::timestamptz - interval '1 day'`
  yield* sql`delete from webhook_deleted where at < ${moment}::timestamptz - interval '1 day'`
  return { attempts, deliveries }
})
