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
 * Copies the event log to its tail in Redis as it grows, and refills the tail when Redis has lost it. Events of a first
 * history are copied once it is complete: a few large batches cost a fraction of many small ones. Until then, subscribers
 * read them from the log.
 */
export const eventLogRelay = actor("event-log-relay", (lease) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const tail = yield* EventTail
    const config = yield* Configuration
    const { afterHistory } = yield* Progress

    /** The last seq that this relay wrote to the tail; undefined when Redis must be asked. */
    let lastWritten: bigint | undefined

    /** Skips events that the tail would drop at once: readers notice the gap and read them from the log. */
    const startAfter = Effect.fnUntraced(function* (last: bigint) {
      const kept = config.get(eventLogTail)
      if (last > 0n && (yield* log.head) - last <= kept) return last
      const floor = yield* log.before(kept)
      return floor > last ? floor : last
    })

    const catchUp = Effect.gen(function* () {
      const last = lastWritten ?? (yield* tail.last)
      const after = lastWritten ?? (yield* startAfter(last))
      const events = yield* log.read({ after, limit: batch })
      const newest = events.at(-1)
      if (newest === undefined) {
        // Redis may lose the tail while idle, so the cached seq is trusted for one wake only.
        lastWritten = lastWritten === undefined && last > 0n ? last : undefined
        return false
      }
      const accepted = yield* tail.push({ epoch: lease.epoch, after: last, previous: after, events })
      lastWritten = accepted ? newest.seq : undefined
      if (accepted) yield* Metric.update(relayed, events.length)
      return !accepted || events.length === batch
    })

    yield* log.wakes("500 millis").pipe(
      Stream.runForEach(() =>
        Effect.andThen(afterHistory, Effect.repeat(catchUp, { while: (more) => more })).pipe(
          // Either store may be unavailable for a while; the next wake tries again.
          Effect.catchTags({
            RedisFailure: (error) => Effect.logDebug(error.message),
            SqlError: (error) => Effect.logDebug(describe(error)),
          }),
        ),
      ),
    )
  }),
).pipe(Layer.provide(Progress.layer))
