import { type Duration, Effect, Fiber } from "effect"

/**
 * A timeout that does not wait for `effect` to stop. `Effect.timeout` waits for the interruption to finish, which a frozen
 * Postgres can block forever (COMMIT is uninterruptible); here the fiber is interrupted in the background.
 */
export const abandonAfter = <A, E, R, E2>(
  effect: Effect.Effect<A, E, R>,
  limit: Duration.Input,
  onTimeout: () => E2,
): Effect.Effect<A, E | E2, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
    return yield* Fiber.join(fiber).pipe(
      Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail(onTimeout()) }),
      Effect.ensuring(Effect.sync(() => fiber.interruptUnsafe())),
    )
  })
