import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Webhooks, what is owed to them, every attempt, and what their pollers remember. And who is paid the fees. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  // Writers of webhooks raise it, pollers hold it while they write: so a poller has seen every webhook that is there
  // before the events it writes, and a new webhook begins behind everything that was written without it.
  yield* sql`
    create table webhook_revision (
      single boolean primary key default true check (single),
      revision bigint not null
    )`
  yield* sql`insert into webhook_revision (revision) values (0)`

  // Secrets are encrypted. Entries of the event log up to since_seq are not its business.
  yield* sql`
    create table webhook (
      id text primary key,
      account_id uuid not null references account (id),
      url text not null,
      event_types text[] not null,
      filters jsonb not null,
      description text,
      active boolean not null default true,
      disabled_at timestamptz,
      disabled_reason text,
      secret bytea not null,
      previous_secret bytea,
      previous_until timestamptz,
      since_seq bigint not null,
      revision bigint not null,
      created_at timestamptz not null,
      updated_at timestamptz not null
    )`
  yield* sql`create index webhook_of_account on webhook (account_id, created_at)`
  yield* sql`create index webhook_changed on webhook (revision)`
  yield* sql`create table webhook_deleted (id text primary key, revision bigint not null, at timestamptz not null)`
  yield* sql`create index webhook_deleted_since on webhook_deleted (revision)`
  // For those who ask twice, not sure whether the first time had worked: they are given the same answer, kept encrypted.
  yield* sql`
    create table webhook_creation (
      account_id uuid not null references account (id),
      key text not null,
      digest bytea not null,
      answer bytea not null,
      webhook text not null references webhook (id) on delete cascade,
      at timestamptz not null,
      primary key (account_id, key)
    )`
  // How long deliveries have been failing without a single success.
  yield* sql`
    create table webhook_health (
      webhook text primary key references webhook (id) on delete cascade,
      failing_since timestamptz not null,
      failures integer not null
    )`

  // What is owed. Attempts are numbered through; those up to first_attempt belong to an earlier round. A claim fences the
  // attempt: its result is recorded with the number. Half of a page is left free, so that claims, which touch no
  // index, find room beside the row: they cost half as much and write a sixth into the journal.
  yield* sql`
    create table webhook_delivery (
      id bigint generated always as identity primary key,
      webhook text not null references webhook (id) on delete cascade,
      event_id uuid not null,
      event_type text not null,
      body bytea not null,
      status text not null check (status in ('pending', 'delivered', 'failed', 'held', 'over_cap')),
      attempt integer not null default 0,
      first_attempt integer not null default 0,
      next_at timestamptz,
      claimed_until timestamptz,
      created_at timestamptz not null,
      finished_at timestamptz,
      unique (webhook, event_id)
    ) with (fillfactor = 50)`
  yield* sql`create index webhook_delivery_due on webhook_delivery (webhook, next_at) where status = 'pending'`
  // What can be sent later, and how much of it there is, without passing over millions that were delivered.
  yield* sql`
    create index webhook_delivery_missed on webhook_delivery (webhook, id) include (status)
    where status in ('held', 'failed', 'over_cap')`
  yield* sql`create index webhook_delivery_of on webhook_delivery (webhook, id desc)`
  yield* sql`create index webhook_delivery_kept on webhook_delivery (created_at)`
  // Attempt 0 says why nothing was sent. Test deliveries have no delivery.
  yield* sql`
    create table webhook_attempt (
      id bigint generated always as identity primary key,
      webhook text not null references webhook (id) on delete cascade,
      delivery bigint,
      event_id text not null,
      event_type text not null,
      attempt integer not null,
      success boolean not null,
      status_code integer,
      latency_ms integer not null,
      error_class text,
      error text,
      response text,
      at timestamptz not null
    )`
  yield* sql`create index webhook_attempt_of on webhook_attempt (webhook, id desc)`
  yield* sql`create index webhook_attempt_failed on webhook_attempt (webhook, id desc) where not success`
  yield* sql`create index webhook_attempt_delivery on webhook_attempt (delivery)`
  yield* sql`create index webhook_attempt_kept on webhook_attempt using brin (at)`
  yield* sql`
    create table webhook_quota (
      account_id uuid not null references account (id),
      day date not null,
      used integer not null,
      refused integer not null,
      primary key (account_id, day)
    )`

  // The cursor of each poller, and the block up to which it has treated the chain as confirmed.
  yield* sql`
    create table webhook_cursor (
      poller text primary key,
      seq bigint not null,
      block integer not null,
      moved_at timestamptz not null
    )`
  yield* sql`
    create table webhook_first_trade (wallet integer primary key, block integer not null, log_index integer not null)`
  yield* sql`create index webhook_first_trade_block on webhook_first_trade (block)`
  yield* sql`
    create table webhook_open_order (
      order_hash bytea primary key,
      seq bigint not null,
      block integer not null,
      log_index integer not null,
      at timestamptz not null
    )`
  yield* sql`create index webhook_open_order_at on webhook_open_order (at)`
  yield* sql`
    create table webhook_price (
      webhook text not null references webhook (id) on delete cascade,
      token integer not null,
      price bigint not null,
      primary key (webhook, token)
    )`
  yield* sql`create index webhook_price_token on webhook_price (token)`
  yield* sql`
    create table webhook_pnl (
      webhook text not null references webhook (id) on delete cascade,
      wallet integer not null,
      token integer not null,
      realized bigint not null,
      primary key (webhook, wallet, token)
    )`
  yield* sql`create index webhook_pnl_token on webhook_pnl (token)`
  // Wallets whose positions are followed, and up to which block their positions were known when that began.
  yield* sql`create table webhook_watched_wallet (address bytea primary key, block integer not null)`
  yield* sql`
    create table webhook_position (
      wallet integer not null,
      token integer not null,
      shares bigint not null,
      status text not null,
      primary key (wallet, token)
    )`
  yield* sql`create index webhook_position_token on webhook_position (token)`
  yield* sql`
    create table webhook_position_undo (
      block integer not null,
      wallet integer not null,
      token integer not null,
      shares bigint,
      status text,
      primary key (block, wallet, token)
    )`

  // Usd is what the fee is worth at the order's own price, where it is taken in shares.
  yield* sql`
    create table fee_charge (
      block integer not null,
      log_index integer not null,
      at timestamptz not null,
      tx bytea not null,
      receiver integer not null,
      token integer not null,
      in_shares boolean not null,
      amount bigint not null,
      usd bigint not null,
      order_hash bytea not null,
      primary key (block, log_index)
    )`
  yield* sql`create index fee_charge_receiver on fee_charge (receiver, at desc)`
  yield* sql`drop index event_log_facts`
  yield* sql`create index event_log_facts on event_log (ref) where kind in ('fill', 'split', 'merge', 'redemption',
    'conversion', 'transfer', 'fee_refund', 'fee_charge', 'collateral_flow', 'resolution', 'combo', 'condition_rename',
    'block')`
})
