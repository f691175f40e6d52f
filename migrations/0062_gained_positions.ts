import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Boards count the positions with a gain or loss that are not open, and know what open ones realized. Totals of a wallet's
 * positions are read from them instead of from all positions. The boards are rebuilt, which fills the new columns.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table leaderboard_standing add column gained integer not null default 0`
  yield* sql`alter table leaderboard_open add column realized bigint not null default 0`
  yield* sql`update leaderboard_state set stale = true`
})
