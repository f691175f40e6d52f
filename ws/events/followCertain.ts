import { Effect } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { LoggedEvent } from "#src/mesh/EventLog.ts"
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

  const release = Effect.gen(function* () {
    if (waiting.length === 0) return
    const count = yield* retryTransient("10 minutes")(certain([...waiting]))
    if (count === 0) return
    yield* take(waiting.slice(0, count))
    waiting = waiting.slice(count)
  })
  const reading = followLog(after, (events) => Effect.sync(() => void waiting.push(...events)), caughtUp)
  return yield* Effect.raceFirst(reading, Effect.forever(Effect.andThen(release, Effect.sleep(releaseEvery))))
})
