import { Clock, Duration, Effect, Exit, type Scope } from "effect"
import { makeSharedWork } from "./sharedWork.ts"

/** In milliseconds. */
const bothClocks = Effect.map(Clock.Clock, (clock) => ({
  monotonic: Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n),
  wall: clock.currentTimeMillisUnsafe(),
}))

/**
 * Shares one run of `work`, and its result for a while; failures are not kept. Unlike `Effect.cachedWithTTL` it also uses the
 * monotonic clock: after the wall clock was ahead for a moment, a result would otherwise stay until that time comes. A
 * caller that is interrupted does not interrupt the run, because others may wait for it.
 */
export const cachedBriefly = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  keepFor: Duration.Input,
  isWorthKeeping: (value: A) => boolean = () => true,
): Effect.Effect<Effect.Effect<A, E, R>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const inBackground = yield* makeSharedWork
    const millis = Duration.toMillis(Duration.fromInputUnsafe(keepFor))
    /** When the last run ended; undefined during a run. */
    let ended: { readonly monotonic: number; readonly wall: number; readonly isKept: boolean } | undefined
    const dated = Effect.onExit(work, (exit) =>
      Effect.map(bothClocks, (now) => {
        ended = { ...now, isKept: Exit.isSuccess(exit) && isWorthKeeping(exit.value) }
      }),
    )
    const [shared, forget] = yield* Effect.cachedInvalidateWithTTL(dated, Duration.infinity)
    const started = inBackground(shared)
    return Effect.flatMap(bothClocks, ({ monotonic, wall }) => {
      if (ended === undefined) return started
      const isOver = monotonic - ended.monotonic >= millis || Math.abs(wall - ended.wall) >= millis
      if (ended.isKept && !isOver) return started
      ended = undefined
      return Effect.andThen(forget, started)
    })
  })
