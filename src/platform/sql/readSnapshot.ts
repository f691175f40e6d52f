import type { PgClient } from "@effect/sql-pg"
import { Cause, Effect, Exit } from "effect"
import { isSqlError } from "effect/unstable/sql/SqlError"
import { reviveCommitFailure, type TxError } from "./sqlFailure.ts"

/**
 * Reads from one consistent snapshot, independent of concurrent writes. For the `exports` pool. Losing the connection at the
 * end does no harm: the body wrote nothing and has already read its result.
 */
export const readSnapshot = <A, E, R>(
  sql: PgClient.PgClient,
  body: Effect.Effect<A, E, R>,
): Effect.Effect<A, E | TxError, R> =>
  Effect.suspend(() => {
    let read: Exit.Success<A, never> | undefined
    const begin = sql`set transaction isolation level repeatable read read only`
    return sql
      .withTransaction(
        Effect.andThen(begin, body).pipe(
          Effect.tap((value) =>
            Effect.sync(() => {
              read = Exit.succeed(value) as Exit.Success<A, never>
            }),
          ),
        ),
      )
      .pipe(
        Effect.catchCause((cause) => {
          const isLost = cause.reasons.every((reason) => Cause.isDieReason(reason) && isSqlError(reason.defect))
          return read !== undefined && isLost
            ? Effect.succeed(read.value)
            : Effect.failCause(reviveCommitFailure(cause, false))
        }),
      )
  })
