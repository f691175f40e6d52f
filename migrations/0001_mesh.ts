import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Leases of actors and duties, the event log, live overrides of settings. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  // One sequence for all leases, so that an epoch never comes back even when a lease's row has gone.
  yield* sql`create sequence lease_epoch`
  yield* sql`
    create table lease (
      name text primary key,
      epoch bigint not null default nextval('lease_epoch'),
      taken_at timestamptz not null default now(),
      expires_at timestamptz
    )`

  yield* sql`
    create table event_log (
      seq bigint generated always as identity,
      recorded_at timestamptz not null default now(),
      kind text not null,
      ref bigint,
      sub integer,
      data jsonb,
      primary key (seq, recorded_at)
    ) partition by range (recorded_at)`

  // Tells this log from another one that a restored or replaced database brings.
  yield* sql`create table event_log_identity (id uuid primary key default gen_random_uuid())`
  yield* sql`insert into event_log_identity default values`

  yield* sql`
    create table tuning (
      name text primary key,
      value text not null,
      set_by text not null,
      set_at timestamptz not null default now()
    )`
  yield* sql`
    create table tuning_audit (
      id bigint generated always as identity primary key,
      name text not null,
      old_value text,
      new_value text,
      set_by text not null,
      set_at timestamptz not null default now()
    )`
})
