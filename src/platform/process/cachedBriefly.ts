import { Clock, Duration, Effect, Exit } from "effect"

/**
 * Shares one run of `work`, and its result for a while; failures are not kept. Unlike `Effect.cachedWithTTL` it uses the
 * monotonic clock: after the wall clock was ahead for a moment, a result would otherwise stay until that time comes. A
 * caller that is interrupted does not interrupt the run, because others may wait for it.
 */
export const cachedBriefly = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  keepFor: Duration.Input,
  isWorthKeeping: (value: A) => boolean = () => true,
): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const nanos = Duration.toNanosUnsafe(Duration.fromInputUnsafe(keepFor))
    let freshUntil: bigint | undefined
    const dated = Effect.onExit(Effect.uninterruptible(work), (exit) =>
      Effect.sync(() => {
        const isKept = Exit.isSuccess(exit) && isWorthKeeping(exit.value)
        freshUntil = clock.monotonicTimeNanosUnsafe() + (isKept ? nanos : 0n)
      }),
    )
    const [shared, forget] = yield* Effect.cachedInvalidateWithTTL(dated, Duration.infinity)
    return Effect.suspend(() => {
      if (freshUntil === undefined || clock.monotonicTimeNanosUnsafe() < freshUntil) return shared
      freshUntil = undefined
      return Effect.andThen(forget, shared)
    })
  })
