import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** A column in an index's condition keeps Postgres from updating a row in place, and shares change with every trade. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`drop index position_holders`
  yield* sql`create index position_holders on position (token)`
})
