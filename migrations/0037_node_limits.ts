import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** What nodes accept, learnt from their refusals. A node is the hash of its address, which may contain a key. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create table node_limit (
      node text primary key,
      calls integer not null,
      blocks integer,
      learnt_at timestamptz not null
    )`
})
