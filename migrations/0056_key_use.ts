import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** When each key was last used. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table api_key add column last_used_at timestamptz`
})
