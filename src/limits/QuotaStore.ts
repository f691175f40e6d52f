import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId } from "#src/domain/Account.ts"

/** The units of one account in one month. */
export interface QuotaMonth {
  readonly account: AccountId
  readonly quota: string
  /** First day of the month. */
  readonly month: string
}

/** One unit of a month, held by a request that has not ended. */
export interface HeldUnit extends QuotaMonth {
  readonly id: string
  /** Milliseconds: from then on the unit counts as returned. */
  readonly expiresAt: number
}

interface Used {
  readonly used: number
}

/** Charges one unit if fewer than `limit` are in use; returns how many are then. */
export const take = (sql: SqlClient, { id, account, quota, month, expiresAt }: HeldUnit, limit: number) =>
  Effect.map(
    sql<Used>`
      with taken as (
        insert into quota_month as q (account_id, quota, month, used)
        select ${account}::uuid, ${quota}::text, ${month}::date, 1 where ${limit}::integer > 0
        on conflict (account_id, quota, month) do update set used = q.used + 1 where q.used < ${limit}::integer
        returning account_id, quota, month, used
      ), held as (
        insert into quota_reservation (id, account_id, quota, month, expires_at)
        select ${id}::uuid, account_id, quota, month, ${new Date(expiresAt)}::timestamptz from taken
      )
      select used from taken`,
    ([row]) => row?.used,
  )

/** Returns the unit, unless that happened before. */
export const giveBack = (sql: SqlClient, { id }: HeldUnit) =>
  sql`
    with gone as (delete from quota_reservation where id = ${id}::uuid returning account_id, quota, month)
    update quota_month q set used = q.used - 1 from gone
    where q.account_id = gone.account_id and q.quota = gone.quota and q.month = gone.month`

/** Returns the units of requests that never ended; whether there were any. */
export const sweep = (sql: SqlClient, { account, quota, month }: QuotaMonth, now: number) =>
  Effect.map(
    sql`
      with gone as (
        delete from quota_reservation
        where account_id = ${account}::uuid and quota = ${quota} and month = ${month}::date
          and expires_at <= ${new Date(now)}::timestamptz
        returning id
      )
      update quota_month set used = used - (select count(*) from gone)
      where account_id = ${account}::uuid and quota = ${quota} and month = ${month}::date and exists (select from gone)
      returning used`,
    (rows) => rows.length > 0,
  )

/** Keeps the unit for good; whether it was still held. */
export const keep = (sql: SqlClient, { id }: HeldUnit) =>
  Effect.map(sql`delete from quota_reservation where id = ${id}::uuid returning id`, (rows) => rows.length > 0)

/** Units charged for good. */
export const used = (sql: SqlClient, { account, quota, month }: QuotaMonth) =>
  Effect.map(
    sql<Used>`
      select (q.used - (select count(*) from quota_reservation r
        where r.account_id = q.account_id and r.quota = q.quota and r.month = q.month))::integer as used
      from quota_month q
      where q.account_id = ${account}::uuid and q.quota = ${quota} and q.month = ${month}::date`,
    ([row]) => row?.used ?? 0,
  )
