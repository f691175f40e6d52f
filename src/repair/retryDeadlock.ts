import { Effect, Schedule } from "effect"
import { isDeadlock } from "#src/platform/sql/sqlFailure.ts"

/**
 * Repeats a repair that waited for a transaction of the service that waited for it. Other failures are not retried: after a lost
 * connection the repair may have been written.
 */
export const retryDeadlock = <A, E, R>(repair: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(repair, { while: isDeadlock, times: 5, schedule: Schedule.spaced("200 millis") })
