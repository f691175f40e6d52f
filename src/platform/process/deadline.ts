import { type Duration, Effect, Fiber } from "effect"

/**
 * Gives up on `effect` after `limit` without waiting for it to stop. `Effect.timeout` waits for the
 * interruption to finish, which a frozen Postgres can hold up for ever (COMMIT is uninterruptible);
 * here the abandoned fiber is interrupted in the background.
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
