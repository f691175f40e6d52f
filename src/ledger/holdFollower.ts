import { Effect, Schedule } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isSqlError } from "effect/unstable/sql/SqlError"

/** Whoever follows the chain shares this lease's row in each of its transactions. */
export const followerLease = "chain-follower"

/** Until the transaction ends nobody else writes to the ledger: the follower waits. */
export const holdFollower = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`insert into lease (name) values (${followerLease}) on conflict do nothing`
  yield* sql`select 1 from lease where name = ${followerLease} for update`
  // Between statements we compute, and on a busy machine that may take longer than others may be idle.
  yield* sql`set local idle_in_transaction_session_timeout = '1min'`
})

const isHeld = (error: unknown) => isSqlError(error) && error.reason._tag === "LockTimeoutError"

/** Does the follower's work as soon as no command holds the ledger any more, however long that takes. */
export const whenReleased = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let told = false
    const tell = Effect.suspend(() => {
      if (told) return Effect.void
      told = true
      return Effect.logInfo("the ledger waits: a command is working on it")
    })
    return Effect.retry(
      Effect.tapError(work, (error) => (isHeld(error) ? tell : Effect.void)),
      { while: isHeld, schedule: Schedule.spaced("500 millis") },
    )
  })
