import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What the ledger covers. Facts may reach further back than positions, which are recomputed from them now and then.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // venue_from is the first block in which the venue can have facts. Positions count facts from chain_cursor.started_from.
  yield* sql`
    create table ledger_coverage (
      single boolean primary key default true check (single),
      venue_from integer not null,
      facts_from integer not null,
      facts_since timestamptz not null,
      positions_since timestamptz not null
    )`
  yield* sql`
    insert into ledger_coverage (venue_from, facts_from, facts_since, positions_since)
    select started_from, started_from, b.at, b.at
    from chain_cursor, lateral (select at from block where number >= started_from order by number limit 1) b`

  // Shares that a wallet held before the first block that positions count; null if the node could not tell.
  yield* sql`
    create table opening_balance (
      wallet integer not null,
      token integer not null,
      shares bigint,
      primary key (token, wallet)
    )`
  yield* sql`alter table position add column partial boolean not null default false`
  yield* sql`alter table position_undo add column partial boolean`
  yield* sql`update position_undo set partial = false where shares is not null`
  // What the positions covered when the boards were counted: boards follow a recomputation of positions a little later.
  yield* sql`
    alter table leaderboard_state
      add column covered_from integer,
      add column covered_since timestamptz,
      add column covered_all boolean`
  yield* sql`alter table leaderboard_retracted_position add column partial boolean not null default false`
})
