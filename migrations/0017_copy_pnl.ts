import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Copy pools and scores. A wallet is scored once for all its followers. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // By address: one that never traded can be followed as well.
  yield* sql`
    create table copy_pnl_pool (
      account uuid not null references account (id),
      wallet bytea not null check (length(wallet) = 20),
      added_at timestamptz not null default now(),
      primary key (account, wallet)
    )`
  yield* sql`create index copy_pnl_pool_wallet on copy_pnl_pool (wallet)`
  // asked_at: somebody wants a score since then; nothing when there is none outstanding.
  yield* sql`
    create table copy_pnl_wallet (
      wallet bytea primary key check (length(wallet) = 20),
      asked_at timestamptz,
      scored_at timestamptz,
      error text,
      error_at timestamptz
    )`
  yield* sql`create index copy_pnl_wallet_asked on copy_pnl_wallet (asked_at) where asked_at is not null`
  // What was tried last comes last: to find those that are due, and those that nobody follows any more.
  yield* sql`create index copy_pnl_wallet_tried on copy_pnl_wallet (greatest(scored_at, error_at)) where asked_at is null`
  // Few: those that may be better soon.
  yield* sql`create index copy_pnl_wallet_failed on copy_pnl_wallet (error_at) where asked_at is null and error is not null`
  yield* sql`
    create table copy_pnl_score (
      wallet bytea not null references copy_pnl_wallet (wallet),
      days smallint not null,
      actual bigint not null,
      backtest bigint not null,
      trades integer not null,
      partial boolean not null,
      computed_at timestamptz not null,
      primary key (wallet, days)
    )`
})
