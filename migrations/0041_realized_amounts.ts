import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * What a wallet gained and lost in a window is added up from the index alone: the events of a busy wallet are spread over the
 * whole table. History is read without the index.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  const definition = "create index realized_event_wallet on realized_event (wallet, at) include (amount, token)"
  yield* sql`drop index if exists realized_event_wallet`
  const deferred = yield* sql`
    update deferred_index set definition = ${definition} where name = 'realized_event_wallet' returning name`
  if (deferred.length === 0) yield* sql.unsafe(definition)
})
