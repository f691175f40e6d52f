import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "./eventually.ts"

/**
 * Takes a lock with a statement like `lock table fill in access exclusive mode`, and holds it until the returned effect runs
 * or the scope closes. Uses the read pool, because waiting statements are mostly in the other one.
 */
export const hold = Effect.fnUntraced(function* (lock: string) {
  const { reads } = yield* Postgres
  const held = yield* Deferred.make<void>()
  const holder = yield* reads`set local idle_in_transaction_session_timeout = 0`.pipe(
    Effect.andThen(reads.unsafe(lock)),
    Effect.andThen(Deferred.succeed(held, undefined)),
    Effect.andThen(Effect.never),
    reads.withTransaction,
    Effect.forkScoped,
  )
  yield* Effect.raceFirst(Deferred.await(held), Fiber.join(holder))
  return Effect.asVoid(Fiber.interrupt(holder))
})

/** Holds a lock during an effect. */
export const holding = <A, E, R>(lock: string, work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Scope.make(),
    (scope) => Effect.andThen(Scope.provide(hold(lock), scope), work),
    (scope) => Scope.close(scope, Exit.void),
  )

/** Number of sessions that wait for a lock in this database. */
export const waiting = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(
    sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    ({ length }) => length,
  ),
)
export const someoneWaits = Effect.map(waiting, (count) => count > 0)
export const untilWaiting = (count: number) =>
  eventually(
    `${count} wait for a lock`,
    Effect.map(waiting, (found) => found === count),
  )
