import { Effect, Layer, Metric, Stream } from "effect"
import { Progress } from "#src/ledger/Progress.ts"
import { actor } from "#src/mesh/Actor.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { EventTail } from "#src/mesh/EventTail.ts"
import { eventLogTail } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

const relayed = Metric.counter("presage_event_log_relayed_total", {
  description: "Events copied from the log to Redis",
  incremental: true,
})

const batch = 1000

/**
 * Copies the event log to its tail in Redis as it grows, and fills the tail again when Redis has lost it. What a first
 * history brings is copied when all of it is there: in a few large parts, by then, that cost a fraction of many small ones.
 * Whoever listens meanwhile hears it from the log itself.
 */
export const eventLogRelay = actor("event-log-relay", (lease) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const tail = yield* EventTail
    const config = yield* Configuration
    const { afterHistory } = yield* Progress

    /** The last event in the tail as this relay left it; undefined when only Redis can tell. */
    let left: bigint | undefined

    /** What is further back than the tail is long would be dropped as it comes: readers notice, and find it in the log. */
    const placeFor = Effect.fnUntraced(function* (last: bigint) {
      const kept = config.get(eventLogTail)
      if (last > 0n && (yield* log.head) - last <= kept) return last
      const floor = yield* log.before(kept)
      return floor > last ? floor : last
    })

    const catchUp = Effect.gen(function* () {
      const last = left ?? (yield* tail.last)
      const after = left ?? (yield* placeFor(last))
      const events = yield* log.read({ after, limit: batch })
      const newest = events.at(-1)
      if (newest === undefined) {
        // Redis may lose it while nothing happens, so it is not believed for longer than from one wake to the next.
        left = left === undefined && last > 0n ? last : undefined
        return false
      }
      const accepted = yield* tail.push({ epoch: lease.epoch, after: last, previous: after, events })
      left = accepted ? newest.seq : undefined
      if (accepted) yield* Metric.update(relayed, events.length)
      return !accepted || events.length === batch
    })

    yield* log.wakes("500 millis").pipe(
      Stream.runForEach(() =>
        Effect.andThen(afterHistory, Effect.repeat(catchUp, { while: (more) => more })).pipe(
          // Either store may be away for a while; the next wake tries again.
          Effect.catchTags({
            RedisFailure: (error) => Effect.logDebug(error.message),
            SqlError: (error) => Effect.logDebug(describe(error)),
          }),
        ),
      ),
    )
  }),
).pipe(Layer.provide(Progress.layer))
