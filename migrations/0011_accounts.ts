import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Who may ask, with which keys, and how much they asked. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table account (
      id uuid primary key default gen_random_uuid(),
      name text not null,
      plan text not null check (plan in ('free', 'starter', 'growth', 'enterprise')),
      active boolean not null default true,
      standard_per_minute integer check (standard_per_minute > 0),
      heavy_per_minute integer check (heavy_per_minute > 0),
      created_at timestamptz not null default now()
    )`
  yield* sql`
    create table api_key (
      id uuid primary key default gen_random_uuid(),
      account_id uuid not null references account (id),
      name text not null,
      digest bytea not null unique check (length(digest) = 32),
      -- The first of the keys that replaced each other: limits of a key go on when it is rotated.
      lineage uuid not null,
      shown text not null,
      created_at timestamptz not null default now(),
      revoked_at timestamptz
    )`
  yield* sql`create index api_key_of_account on api_key (account_id, created_at)`
  // Which secret the digests were made with: another one would make every key unknown without a word.
  yield* sql`
    create table secret_fingerprint (
      single boolean primary key default true check (single),
      fingerprint bytea not null
    )`
  // One free key per address and day, whatever becomes of Redis.
  yield* sql`
    create table free_key_grant (
      day date not null,
      address bytea not null,
      primary key (day, address)
    )`
  yield* sql`
    create table usage_day (
      account_id uuid not null references account (id),
      key_id uuid not null references api_key (id),
      day date not null,
      family text not null,
      requests bigint not null default 0,
      bytes bigint not null default 0,
      primary key (account_id, day, family, key_id)
    ) with (fillfactor = 70)`
  // The last portion that each process wrote, so that one whose commit was not heard is not written twice.
  yield* sql`
    create table usage_writer (
      writer uuid primary key,
      portion bigint not null,
      at timestamptz not null default now()
    )`
  yield* sql`
    create table quota_month (
      account_id uuid not null references account (id),
      quota text not null,
      month date not null,
      used integer not null default 0,
      primary key (account_id, quota, month)
    )`
})
