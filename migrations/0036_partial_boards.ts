import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Boards know whose result is incomplete: the number of a wallet's partial positions in each scope. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table leaderboard_standing add column partial integer not null default 0`
  yield* sql`create index leaderboard_standing_partial on leaderboard_standing (scope, wallet) where partial > 0`
  // A ledger with the whole history has no partial positions.
  yield* sql`update leaderboard_state set stale = true where not covered_all`
})
