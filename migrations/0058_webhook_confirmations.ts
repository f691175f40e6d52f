import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** How certain a fact must be before a webhook is sent it, and the newest block that the node calls final. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient

  yield* sql`
    alter table webhook add column level text not null default 'confirmed'
      check (level in ('included', 'confirmed', 'finalized'))`
  // Only of a block that the ledger has with the same hash.
  yield* sql`alter table chain_cursor add column finalized integer`
  // Final fills are followed apart from the confirmed ones, which are ahead of them.
  yield* sql`create table webhook_final_order (like webhook_open_order including all)`
})
