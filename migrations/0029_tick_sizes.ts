import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * The number of ticks within a stretch and their bytes in an answer, so that an answer can begin before its ticks are read.
 * Null where older ticks are not counted.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table tick_revision add column rows integer, add column bytes integer`
  // Ticks that are older than their revisions must not be taken for none.
  yield* sql`
    insert into tick_revision (feed, source, stretch)
    select distinct feed, source, (at / 600000)::int from tick
    on conflict do nothing`
})
