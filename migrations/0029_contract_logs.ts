import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What follows from the contracts' logs without a log of its own. `presage backfill` adds it to an older ledger. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table stock_change (
      block integer not null,
      log_index integer not null,
      at timestamptz not null,
      tx bytea not null,
      wallet integer not null,
      token integer not null,
      shares bigint not null,
      paid bigint not null,
      primary key (block, log_index)
    )`
})
