import { Effect } from "effect"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
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

/** What one process counted since its last portion. Its number grows by one each time. */
export interface Portion {
  readonly writer: string
  readonly number: bigint
  /** In the one order that all processes keep, so that none waits for another in a circle. */
  readonly rows: ReadonlyArray<UsageRow>
}

/** So that a portion of any size stays within the time limit of a statement. */
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
 * Adds a portion to what is there; again and again it changes nothing. Gives back the rows that belong to no key:
 * they are left out.
 */
export const write = ({ sql, tx }: Postgres["Service"], { writer, number, rows }: Portion) =>
  tx(
    Effect.gen(function* () {
      // Waits for an earlier try of the same portion whose connection was lost and whose outcome is still open.
      const first = yield* sql`
        insert into usage_writer (writer, portion) values (${writer}::uuid, ${number})
        on conflict (writer) do update set portion = excluded.portion, at = now()
        where usage_writer.portion < excluded.portion
        returning writer`
      if (first.length === 0) return []
      // Locked, so that no key goes away before its row is in.
      const ids = [...new Set(rows.map((row) => row.key_id))].sort()
      const keys = yield* sql<{ id: string; account_id: string }>`
        select id, account_id from api_key where id = any(${pgArray("uuid", ids)}) order by id for key share`
      const owners = new Map(keys.map(({ id, account_id }) => [id, account_id]))
      const isKnown = (row: UsageRow) => owners.get(row.key_id) === row.account_id
      for (const chunk of chunks(rows.filter(isKnown))) yield* addUp(sql, chunk)
      return rows.filter((row) => !isKnown(row))
    }),
  )

/** Forgets processes that have long ended. */
export const forgetWriters = ({ sql }: Postgres["Service"], writer: string) =>
  sql`delete from usage_writer where at < now() - interval '1 day' and writer <> ${writer}::uuid`

export interface Total {
  /** Each total is of one of these, or of none: then it is the whole. */
  readonly day: string | null
  readonly family: string | null
  readonly key_id: KeyId | null
  readonly name: string | null
  readonly requests: number
  readonly bytes: number
}

/** All totals of a month, as of one moment. */
export const totals = ({ reads }: Postgres["Service"], account: AccountId, month: Month) =>
  reads<Total>`
    select u.day, u.family, u.key_id, k.name,
      coalesce(sum(u.requests), 0)::float8 as requests, coalesce(sum(u.bytes), 0)::float8 as bytes
    from usage_day u join api_key k on k.id = u.key_id
    where u.account_id = ${account}::uuid
      and u.day >= ${`${month}-01`}::date and u.day < ${`${month}-01`}::date + interval '1 month'
    group by grouping sets ((), (u.day), (u.family), (u.key_id, k.name))
    order by u.day, requests desc, u.family, k.name, u.key_id`
