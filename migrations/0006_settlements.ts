import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Matches that were seen before they were in a block, and what became of them. Events refer to a settlement's id. What
 * each order gives and gets never changes; place 0 is the taker's own order.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  // seen_after is the ledger's last block when it was seen. waits_since is the time of the first block after that with
  // which the ledger had reached the newest one: from then on chain time counts against a settlement that is not in it.
  yield* sql`
    create table settlement (
      id bigint generated always as identity primary key,
      tx bytea not null unique,
      exchange smallint not null,
      condition integer not null,
      status smallint not null,
      detected_at timestamptz not null,
      changed_at timestamptz not null,
      block integer,
      confirmed_at timestamptz,
      seen_after integer not null,
      waits_since timestamptz
    )`
  yield* sql`create index settlement_pending on settlement (id) where status = 0`
  yield* sql`create index settlement_block on settlement (block) where block is not null`
  yield* sql`create index settlement_detected on settlement (detected_at)`

  yield* sql`
    create table settlement_order (
      settlement bigint not null,
      place integer not null,
      order_hash bytea not null,
      maker integer not null,
      signer bytea not null,
      token integer not null,
      side smallint not null,
      shares bigint not null,
      usd bigint not null,
      fee bigint not null,
      builder integer,
      primary key (settlement, place)
    )`
  yield* sql`create index settlement_order_maker on settlement_order (maker, settlement desc)`
  yield* sql`create index settlement_order_token on settlement_order (token, settlement desc)`
})
