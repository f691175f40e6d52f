import { Clock, Duration, Effect } from "effect"
import { gather } from "#src/platform/process/gather.ts"

/** Those who look at the same time look together, and for a while nobody looks again, unless there was nothing yet. */
export const sharedLook = Effect.fnUntraced(function* <A, E>(
  look: Effect.Effect<A | undefined, E>,
  goodFor: Duration.Duration,
) {
  const clock = yield* Clock.Clock
  let known: A | undefined
  let until = 0
  const noted = Effect.map(look, (found) => {
    known = found
    until = clock.currentTimeMillisUnsafe() + Duration.toMillis(goodFor)
    return found
  })
  const together = yield* gather((asked: ReadonlyArray<void>) => Effect.map(noted, (found) => asked.map(() => found)), {
    most: 10_000,
    sideBySide: 1,
  })
  return Effect.suspend(() =>
    known !== undefined && clock.currentTimeMillisUnsafe() < until ? Effect.succeed(known) : together(undefined),
  )
})
