import { Effect, Fiber } from "effect"

/**
 * Runs work that several callers wait for in the current scope. A caller that is interrupted, such as the request of a
 * client that left, then ends neither the work nor the others that wait for it.
 */
export const makeSharedWork = Effect.map(
  Effect.scope,
  (scope) =>
    <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.flatMap(Effect.forkIn(work, scope, { startImmediately: true }), Fiber.join),
)
