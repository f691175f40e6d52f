import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Finds the blocks of a time range. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create index block_at on block (at)`
})
