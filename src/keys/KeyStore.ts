import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { AccountId, KeyId } from "#src/domain/Account.ts"
import type { Plan } from "#src/domain/Plan.ts"
import type { Account, KeyName, KeyRecord, PerMinute } from "./model.ts"

interface AccountRow {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly active: boolean
  readonly standard_per_minute: number | null
  readonly heavy_per_minute: number | null
  readonly created_at: Date
}

interface KeyRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly shown: string
  readonly lineage: string
  readonly created_at: Date
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
}

const accountFields = "id, name, plan, active, standard_per_minute, heavy_per_minute, created_at"
const keyFields = "id, account_id, name, shown, lineage, created_at, revoked_at, last_used_at"

const accountOf = (row: AccountRow): Account => ({
  id: row.id as AccountId,
  name: row.name,
  plan: row.plan,
  active: row.active,
  createdAt: row.created_at,
  standardPerMinute: row.standard_per_minute,
  heavyPerMinute: row.heavy_per_minute,
})

const keyOf = (row: KeyRow): KeyRecord => ({
  id: row.id as KeyId,
  account: row.account_id as AccountId,
  name: row.name,
  shown: row.shown,
  lineage: row.lineage as KeyId,
  createdAt: row.created_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
})

const firstAccount = ([row]: ReadonlyArray<AccountRow>) => row && accountOf(row)
const firstKey = ([row]: ReadonlyArray<KeyRow>) => row && keyOf(row)

export const insertAccount = (sql: SqlClient, plan: Plan, name: KeyName) =>
  Effect.map(
    sql<AccountRow>`insert into account (plan, name) values (${plan}, ${name}) returning ${sql.literal(accountFields)}`,
    ([row]) => accountOf(row as AccountRow),
  )

/** Until the transaction ends, no other transaction changes the account or counts its keys. */
export const lockAccount = (sql: SqlClient, id: AccountId) =>
  Effect.map(
    sql<AccountRow>`select ${sql.literal(accountFields)} from account where id = ${id} for no key update`,
    firstAccount,
  )

export interface AccountUpdate {
  readonly plan?: Plan
  readonly active?: boolean
  /** `null` restores the plan's limit. */
  readonly standard?: PerMinute | null
  readonly heavy?: PerMinute | null
}

/** Changes only the given fields; returns undefined if the account does not exist. */
export const changeAccount = (sql: SqlClient, id: AccountId, change: AccountUpdate) => {
  const { plan = null, active = null, standard, heavy } = change
  const keepsStandard = standard === undefined
  const keepsHeavy = heavy === undefined
  return Effect.map(
    sql<AccountRow>`
      update account set
        plan = coalesce(${plan}::text, plan),
        active = coalesce(${active}::boolean, active),
        standard_per_minute = case when ${keepsStandard} then standard_per_minute else ${standard ?? null}::int end,
        heavy_per_minute = case when ${keepsHeavy} then heavy_per_minute else ${heavy ?? null}::int end
      where id = ${id} returning ${sql.literal(accountFields)}`,
    firstAccount,
  )
}

export interface ListedAccount extends Account {
  /** Number of active keys. */
  readonly keys: number
}

/** Newest first. */
export const accounts = (sql: SqlClient, limit: number) =>
  Effect.map(
    sql<AccountRow & { readonly keys: number }>`
      select ${sql.literal(accountFields)},
        (select count(*)::int from api_key k where k.account_id = account.id and k.revoked_at is null) as keys
      from account order by created_at desc, id limit ${limit}`,
    (rows) => rows.map((row): ListedAccount => ({ ...accountOf(row), keys: row.keys })),
  )

export const accountExists = (sql: SqlClient, id: AccountId) =>
  Effect.map(sql`select 1 from account where id = ${id}`, (rows) => rows.length > 0)

/** Active keys first, then newest first; of one account or all. */
export const keys = (sql: SqlClient, account: AccountId | undefined, limit: number) =>
  Effect.map(
    sql<KeyRow>`
      select ${sql.literal(keyFields)} from api_key
      ${account === undefined ? sql.literal("") : sql`where account_id = ${account}`}
      order by revoked_at is not null, created_at desc, id limit ${limit}`,
    (rows) => rows.map(keyOf),
  )

export const countActive = (sql: SqlClient, account: AccountId) =>
  Effect.map(
    sql<{ n: number }>`select count(*)::int as n from api_key where account_id = ${account} and revoked_at is null`,
    ([row]) => row?.n ?? 0,
  )

export interface NewKey {
  readonly account: AccountId
  readonly name: string
  readonly digest: Uint8Array
  readonly shown: string
  /** The key it replaces. */
  readonly replaces: KeyRecord | undefined
}

/** Returns undefined if the key already exists. */
export const insertKey = (sql: SqlClient, { account, name, digest, shown, replaces }: NewKey) =>
  Effect.map(
    sql<KeyRow>`
      insert into api_key (id, account_id, name, digest, shown, lineage)
      select id, ${account}, ${name}, ${digest}, ${shown}, coalesce(${replaces?.lineage ?? null}::uuid, id)
      from gen_random_uuid() id
      on conflict (digest) do nothing returning ${sql.literal(keyFields)}`,
    firstKey,
  )

const within = (sql: SqlClient, account: AccountId | undefined) =>
  account === undefined ? sql.literal("") : sql`and account_id = ${account}`

export const lockKey = (sql: SqlClient, id: KeyId, account: AccountId | undefined) =>
  Effect.map(
    sql<KeyRow>`
      select ${sql.literal(keyFields)} from api_key where id = ${id} ${within(sql, account)} for update`,
    firstKey,
  )

/** A revoked key keeps its original revocation time. */
export const revokeKey = (sql: SqlClient, id: KeyId, account: AccountId | undefined) =>
  Effect.map(
    sql<KeyRow>`
      update api_key set revoked_at = coalesce(revoked_at, now()) where id = ${id} ${within(sql, account)}
      returning ${sql.literal(keyFields)}`,
    firstKey,
  )

export const renameKey = (sql: SqlClient, id: KeyId, account: AccountId, name: KeyName) =>
  Effect.map(
    sql<KeyRow>`
      update api_key set name = ${name} where id = ${id} ${within(sql, account)} returning ${sql.literal(keyFields)}`,
    firstKey,
  )

/** Returns how many keys were revoked. */
export const revokeAll = (sql: SqlClient) =>
  Effect.map(
    // Locked in the order in which usage is written, so that both never deadlock.
    sql`
      with active as materialized (select id from api_key where revoked_at is null order by id for no key update)
      update api_key set revoked_at = now() from active where api_key.id = active.id returning 1`,
    (revoked) => revoked.length,
  )

/** A key by its digest, with its account. */
export const findByDigest = (sql: SqlClient, digest: Uint8Array) =>
  Effect.map(
    sql<AccountRow & { readonly key_id: string; readonly lineage: string; readonly revoked: boolean }>`
      select a.*, k.id as key_id, k.lineage, k.revoked_at is not null as revoked
      from api_key k join account a on a.id = k.account_id where k.digest = ${digest}`,
    ([row]) =>
      row && {
        key: { id: row.key_id as KeyId, lineage: row.lineage as KeyId },
        revoked: row.revoked,
        account: accountOf(row),
      },
  )

/** An arbitrary but fixed number. */
const demoLock = 0x64656d6f

/** Serializes processes that start together, so that only one creates the demo account. */
export const lockDemo = (sql: SqlClient) => sql`select pg_advisory_xact_lock(${demoLock})`
