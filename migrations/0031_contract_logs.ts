import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Conditions of Protocol V2 were stored as clients sent them, with 31 or 32 bytes; all others have 32. */
export const padConditions = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    update webhook w set filters = jsonb_set(filters, '{condition_ids}', (
      select jsonb_agg(rpad(e.id, 66, '0') order by e.place)
      from jsonb_array_elements_text(w.filters -> 'condition_ids') with ordinality e(id, place)))
    where exists (
      select 1 from jsonb_array_elements_text(coalesce(w.filters -> 'condition_ids', '[]')) e(id) where length(e.id) = 64)`
})

/** What follows from the contracts' logs without a log of its own. `presage backfill` adds it to an older ledger. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table stock_change (
      block integer not null,
      log_index integer not null,
      at timestamptz not null,
      tx bytea not null,
      sub integer not null,
      wallet integer not null,
      token integer not null,
      shares bigint not null,
      paid bigint not null,
      primary key (block, log_index, sub)
    )`

  yield* sql`alter table resolution add column sub integer not null default 0`
  yield* sql`alter table resolution drop constraint resolution_pkey`
  yield* sql`alter table resolution add primary key (block, log_index, sub)`

  // A condition of Protocol V2 is a token without its last byte.
  yield* sql`
    create function leg_conditions(legs bytea) returns bytea[] language sql immutable strict parallel safe return array(
      select substring(legs from 32 * leg + 1 for 31) || decode('00', 'hex')
      from generate_series(0, octet_length(legs) / 32 - 1) leg)`
  yield* sql`create index combo_legs on combo using gin (leg_conditions(legs))`
  yield* sql`create index condition_rename_legacy on condition_rename (legacy)`

  yield* padConditions
})
