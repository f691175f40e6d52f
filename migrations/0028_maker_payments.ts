import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What the venue pays its makers in collateral. `presage backfill` reads it for blocks that are already in the ledger. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Purposes are numbered as in src/ledger/factRows.ts.
  yield* sql`
    create table maker_payment (
      block integer not null,
      log_index integer not null,
      at timestamptz not null,
      tx bytea not null,
      wallet integer not null,
      purpose smallint not null,
      amount bigint not null,
      primary key (block, log_index)
    )`
  yield* sql`create index maker_payment_wallet on maker_payment (wallet, at desc)`
})
