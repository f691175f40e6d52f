import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Block events, which are retracted like the facts of their block; and the legs of combos. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  const place = sql.literal(`
    block integer not null,
    log_index integer not null,
    at timestamptz not null,
    tx bytea not null`)
  const key = sql.literal("primary key (block, log_index)")
  // Legs are tokens of 32 bytes, one after the other. Their conditions have other names where they are traded.
  yield* sql`create table combo (${place}, condition integer not null, legs bytea not null, ${key})`
  yield* sql`create table condition_rename (${place}, condition integer not null, legacy integer not null, ${key})`
  for (const table of ["combo", "condition_rename"]) {
    yield* sql`create index ${sql(`${table}_condition`)} on ${sql(table)} (condition)`
  }
  // Unknown of those that were read before.
  yield* sql`alter table conversion add column questions integer[]`
  yield* sql`drop index event_log_facts`
  yield* sql`create index event_log_facts on event_log (ref) where kind in ('fill', 'split', 'merge', 'redemption',
    'conversion', 'transfer', 'fee_refund', 'collateral_flow', 'resolution', 'combo', 'condition_rename', 'block')`
})
