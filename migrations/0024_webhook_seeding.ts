import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** The positions of a watched wallet are copied by a job; until then its poller reads those that it needs from the ledger. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table webhook_watched_wallet add column seeded boolean not null default true`
  yield* sql`create index webhook_unseeded_wallet on webhook_watched_wallet (address) where not seeded`
})
