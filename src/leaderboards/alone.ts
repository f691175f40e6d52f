import { Effect, Schedule, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isSqlError } from "effect/unstable/sql/SqlError"

/** Somebody else works on the boards, or on all that they count. */
export class BoardsBusy extends Schema.TaggedError<BoardsBusy>()("BoardsBusy", {}) {
  override get message() {
    return "the leaderboards are being worked on by somebody else"
  }
}

/**
 * Until the transaction ends nobody else does this. It comes before the first statement that looks at anything, so that
 * the transaction's snapshot has all that the one before has done.
 */
export const alone = (sql: SqlClient) =>
  Effect.mapError(sql`lock table leaderboard_scope in share row exclusive mode nowait`, (error) =>
    error.reason._tag === "LockTimeoutError" ? new BoardsBusy() : error,
  )

/**
 * Positions and realized events are written anew by this transaction, however old they are: the boards do not go on from
 * what they have counted. Waits for whoever is building them.
 */
export const markStale = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* Effect.retry(sql.withTransaction(alone(sql)), {
    while: (error) => !isSqlError(error),
    schedule: Schedule.spaced("200 millis"),
  })
  yield* sql`update leaderboard_state set stale = true`
})
