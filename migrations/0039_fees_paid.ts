import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Finds the fills that a wallet paid a fee for: makers pay none, and may have millions of others. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create index fill_fee on fill (maker, at) where fee > 0`
})
