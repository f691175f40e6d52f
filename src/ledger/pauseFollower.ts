import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isSqlError } from "effect/unstable/sql/SqlError"

/** The follower locks this lease's row in share mode in each of its transactions. */
export const followerLease = "chain-follower"

/** Makes the follower wait until the transaction ends: nothing else writes to the ledger. */
export const pauseFollower = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`insert into lease (name) values (${followerLease}) on conflict do nothing`
  yield* sql`select 1 from lease where name = ${followerLease} for update`
  // Computing between statements can exceed the default idle timeout on a busy machine.
  yield* sql`set local idle_in_transaction_session_timeout = '1min'`
})

const isPaused = (error: unknown) => isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Retries the follower's work until no command pauses it any more, however long that takes. */
export const retryWhilePaused = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let isReported = false
    const report = Effect.suspend(() => {
      if (isReported) return Effect.void
      isReported = true
      return Effect.logInfo("the ledger is paused: a command is working on it")
    })
    return Effect.retry(
      Effect.tapError(work, (error) => (isPaused(error) ? report : Effect.void)),
      { while: isPaused, schedule: Schedule.spaced("500 millis") },
    )
  })
