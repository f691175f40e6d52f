import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Adds rows to two indexes at once. Postgres would keep them in a list until the next vacuum, which every query reads from
 * its beginning: during a backfill, the combos of a resolution took more than half of the time.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const name of ["combo_legs", "event_tags"]) {
    yield* sql`alter index ${sql(name)} set (fastupdate = off)`
    yield* sql`select gin_clean_pending_list(${name}::regclass)`
  }
  // The tokens of a wallet's combos are read from this index alone.
  yield* sql`create index token_of_condition on token (condition, outcome) include (id)`
  yield* sql`drop index token_condition`
  yield* sql`alter index token_of_condition rename to token_condition`
})
