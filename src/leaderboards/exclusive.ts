import { Effect, Schedule, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isSqlError } from "effect/unstable/sql/SqlError"

/** Another process is changing the boards or the positions that they count. */
export class BoardsBusy extends Schema.TaggedError<BoardsBusy>()("BoardsBusy", {}) {
  override get message() {
    return "another process is updating the leaderboards"
  }
}

/**
 * Serialises changes of the boards until the transaction ends. It comes before the first query, so that the transaction's
 * snapshot includes the previous holder's changes.
 */
export const lockExclusively = (sql: SqlClient) =>
  Effect.mapError(sql`lock table leaderboard_scope in share row exclusive mode nowait`, (error) =>
    error.reason._tag === "LockTimeoutError" ? new BoardsBusy() : error,
  )

/**
 * This transaction rewrites positions and realized events of any age, so the boards must be rebuilt. Waits for a running
 * build.
 */
export const markStale = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* Effect.retry(sql.withTransaction(lockExclusively(sql)), {
    while: (error) => !isSqlError(error),
    schedule: Schedule.spaced("200 millis"),
  })
  yield* sql`update leaderboard_state set stale = true`
})
