import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What dropped facts have left behind, so that positions can still be recomputed. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // Facts before this block were dropped; null if none were. Positions count them all the same.
  yield* sql`alter table ledger_coverage add column dropped_before integer`
  // The positions before that block.
  yield* sql`create table position_base (like position including defaults, primary key (wallet, token))`
})
