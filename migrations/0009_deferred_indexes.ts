import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Indexes that are made when the history is in: to make one at once costs less than to add to it row by row. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create table deferred_index (name text primary key, definition text not null)`
})
