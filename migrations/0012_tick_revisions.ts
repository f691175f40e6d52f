import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * How often the ticks of a coin and source changed within a stretch of ten minutes. None is as good as 0: what was there
 * before this table has not changed since.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  // The newest stretch of every feed changes with every tick: room in its page keeps that from growing the index.
  yield* sql`
    create table tick_revision (
      feed smallint not null,
      source smallint not null,
      stretch integer not null,
      revision bigint not null default 1,
      primary key (feed, source, stretch)
    ) with (fillfactor = 50)`
})
