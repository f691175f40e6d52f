import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Month } from "./model.ts"

export interface UsageRow {
  readonly account_id: AccountId
  readonly key_id: KeyId
  /** YYYY-MM-DD. */
  readonly day: string
  readonly family: string
  readonly requests: bigint
  readonly bytes: bigint
}

/** Usage that one process counted since its last batch. Numbers increase by one. */
export interface UsageBatch {
  readonly writer: string
  readonly number: bigint
  /** In the same order in all processes, to avoid deadlocks. */
  readonly rows: ReadonlyArray<UsageRow>
}

/** Keeps each statement within the statement timeout. */
const rowsPerStatement = 5000

const addUp = bulkInsert<UsageRow>({
  table: "usage_day",
  columns: { account_id: "uuid", key_id: "uuid", day: "date", family: "text", requests: "int8", bytes: "int8" },
  suffix: `on conflict (account_id, day, family, key_id) do update
    set requests = usage_day.requests + excluded.requests, bytes = usage_day.bytes + excluded.bytes`,
})

const chunks = (rows: ReadonlyArray<UsageRow>) =>
  Array.from({ length: Math.ceil(rows.length / rowsPerStatement) }, (_, i) =>
    rows.slice(i * rowsPerStatement, (i + 1) * rowsPerStatement),
  )

/**
 * Adds a batch to the stored usage; writing it again changes nothing. Run it in a transaction. Returns the rows that belong
 * to no key, which are skipped.
 */
export const write = Effect.fnUntraced(function* (sql: SqlClient, { writer, number, rows }: UsageBatch) {
  // Waits for an earlier attempt at the same batch whose connection was lost before its commit was known.
  const first = yield* sql`
        insert into usage_writer (writer, portion) values (${writer}::uuid, ${number})
        on conflict (writer) do update set portion = excluded.portion, at = now()
        where usage_writer.portion < excluded.portion
        returning writer`
  if (first.length === 0) return []
  // Locked in one order, so that no key is deleted before its row is written and concurrent batches do not deadlock.
  const ids = [...new Set(rows.map((row) => row.key_id))].sort()
  const keys = yield* sql<{ id: string; account_id: string }>`
        select id, account_id from api_key where id = any(${pgArray("uuid", ids)}) order by id for no key update`
  const owners = new Map(keys.map(({ id, account_id }) => [id, account_id]))
  const isKnown = (row: UsageRow) => owners.get(row.key_id) === row.account_id
  for (const chunk of chunks(rows.filter(isKnown))) yield* addUp(sql, chunk)
  const used = rows.filter(({ requests }) => requests > 0n).map((row) => row.key_id)
  yield* sql`update api_key set last_used_at = now() where id = any(${pgArray("uuid", [...new Set(used)])})`
  return rows.filter((row) => !isKnown(row))
})

/** Deletes processes that ended more than a day ago. */
export const deleteOldWriters = (sql: SqlClient, writer: string) =>
  sql`delete from usage_writer where at < now() - interval '1 day' and writer <> ${writer}::uuid`

export interface Total {
  /** Set are the key, or the day, the family or both; the grand total has none. */
  readonly day: string | null
  readonly family: string | null
  readonly key_id: KeyId | null
  readonly name: string | null
  readonly requests: number
  readonly bytes: number
}

/** All totals of a month in one consistent read. */
export const totals = (sql: SqlClient, account: AccountId, month: Month) =>
  sql<Total>`
    select u.day, u.family, u.key_id, k.name,
      coalesce(sum(u.requests), 0)::float8 as requests, coalesce(sum(u.bytes), 0)::float8 as bytes
    from usage_day u join api_key k on k.id = u.key_id
    where u.account_id = ${account}::uuid
      and u.day >= ${`${month}-01`}::date and u.day < ${`${month}-01`}::date + interval '1 month'
    group by grouping sets ((), (u.day), (u.family), (u.day, u.family), (u.key_id, k.name))
    order by u.day, requests desc, u.family, k.name, u.key_id`

/** An account and its usage of one UTC day. */
export interface AccountUsage {
  readonly account: AccountId
  readonly name: string
  readonly plan: Plan
  readonly active: boolean
  readonly standardPerMinute: number | null
  readonly heavyPerMinute: number | null
  readonly requests: number
  readonly bytes: number
}

/** Accounts with the most requests today (UTC). */
export const topToday = (sql: SqlClient, limit: number) => sql<AccountUsage>`
  select a.id as account, a.name, a.plan, a.active, a.standard_per_minute as "standardPerMinute",
    a.heavy_per_minute as "heavyPerMinute", u.requests, u.bytes
  from (
    select account_id, sum(requests)::float8 as requests, sum(bytes)::float8 as bytes from usage_day
    where day = (now() at time zone 'utc')::date group by account_id order by requests desc limit ${limit}
  ) u join account a on a.id = u.account_id order by u.requests desc, a.id`
