import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Blocks are told as well, and taken back like what happened in them; and of what combos are made. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Legs are tokens of 32 bytes, one after the other.
  yield* sql`
    create table combo (
      block integer not null,
      log_index integer not null,
      at timestamptz not null,
      tx bytea not null,
      condition integer not null,
      legs bytea not null,
      primary key (block, log_index)
    )`
  yield* sql`create index combo_condition on combo (condition)`
  yield* sql`drop index event_log_facts`
  yield* sql`create index event_log_facts on event_log (ref) where kind in ('fill', 'split', 'merge', 'redemption',
    'conversion', 'transfer', 'fee_refund', 'collateral_flow', 'resolution', 'combo', 'block')`
})
