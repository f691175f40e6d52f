import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What operators did, and the checks and repairs that they started. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Written before the action; without an outcome, the process ended in between.
  yield* sql`
    create table operator_action (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      done_by text not null,
      action text not null,
      subject text not null,
      detail text not null,
      outcome text
    )`
  yield* sql`
    create table repair_run (
      id uuid primary key default gen_random_uuid(),
      kind text not null check (kind in ('verify', 'rebuild_positions')),
      state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
      requested_by text not null,
      requested_at timestamptz not null default now(),
      started_at timestamptz,
      starts integer not null default 0,
      seen_at timestamptz,
      finished_at timestamptz,
      step text,
      progress double precision not null default 0,
      cancel_requested boolean not null default false,
      result jsonb,
      error text
    )`
  // One at a time: both read the whole ledger.
  yield* sql`create unique index repair_run_open on repair_run ((true)) where state in ('queued', 'running')`
  yield* sql`create index repair_run_newest on repair_run (requested_at desc)`
  yield* sql`create index usage_day_by_day on usage_day (day)`
})
