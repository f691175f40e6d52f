import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** The open games of a competition by round, which are counted without their events. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    create index event_round on event (series, event_week, event_date)
    where series is not null and parent is null and not closed and not archived and game is not null`
})
