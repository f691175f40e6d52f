import { Clock, Duration, Effect } from "effect"
import { batchCalls } from "#src/platform/process/batchCalls.ts"

/** Shares one read among concurrent callers, and reuses its result for a while unless it was empty. */
export const sharedPoll = Effect.fnUntraced(function* <A, E>(
  look: Effect.Effect<A | undefined, E>,
  goodFor: Duration.Duration,
) {
  const clock = yield* Clock.Clock
  let known: A | undefined
  let until = 0
  const read = Effect.map(look, (found) => {
    known = found
    until = clock.currentTimeMillisUnsafe() + Duration.toMillis(goodFor)
    return found
  })
  const together = yield* batchCalls(
    (calls: ReadonlyArray<void>) => Effect.map(read, (found) => calls.map(() => found)),
    {
      maxBatch: 10_000,
      concurrency: 1,
    },
  )
  return Effect.suspend(() =>
    known !== undefined && clock.currentTimeMillisUnsafe() < until ? Effect.succeed(known) : together(undefined),
  )
})
