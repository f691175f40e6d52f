import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"
import { mostAtOnce } from "#src/mesh/EventTail.ts"
import { followLog } from "#src/mesh/followLog.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"

const releaseEvery = "500 millis"

/**
 * Passes every event after a seq to `take`, in order, once it is certain. Order is kept, so an event also waits for those
 * before it, and a seq means the same as in the log itself.
 */
export const followCertain = Effect.fnUntraced(function* <E, R>(
  after: bigint,
  certain: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<number, SqlError>,
  take: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<void, E, R>,
  caughtUp: () => void,
) {
  let waiting: Array<LoggedEvent> = []

  /** Passes on what is certain by now, in parts, so that live events of others need not wait for all of it. */
  const release = Effect.gen(function* () {
    for (;;) {
      const part = waiting.slice(0, mostAtOnce)
      if (part.length === 0) return
      const count = yield* retryTransient("10 minutes")(certain(part))
      if (count > 0) yield* take(part.slice(0, count))
      waiting = waiting.slice(count)
      if (count < mostAtOnce) return
    }
  })
  const reading = followLog(after, (events) => Effect.sync(() => void waiting.push(...events)), caughtUp)
  return yield* Effect.raceFirst(reading, Effect.forever(Effect.andThen(release, Effect.sleep(releaseEvery))))
})
