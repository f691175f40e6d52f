import { Clock, Effect } from "effect"
import { Redis } from "#src/platform/redis/Redis.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { EventLog, type LoggedEvent } from "./EventLog.ts"
import { EventTail, mostAtOnce } from "./EventTail.ts"

/** Poll interval of the log while Redis does not deliver events. */
const askEvery = "250 millis"
/** A frozen Redis takes seconds to time out, so it is not retried every time. */
const redisPauseMillis = 5_000
/** How long Postgres may be unavailable before the follower fails. */
const patience = "10 minutes"

/**
 * Passes every event after a seq to `take`, in order and without a gap, forever. Events come from the tail in Redis;
 * events that it does not have (lost tail, relay or Redis down) are read from the log.
 */
export const followLog = Effect.fnUntraced(function* <E, R>(
  after: bigint,
  take: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<void, E, R>,
  /** Called when all events have been passed on, at least every few seconds while the log is readable. */
  caughtUp: () => void = () => undefined,
) {
  const log = yield* EventLog
  const tail = yield* EventTail
  const reader = yield* (yield* Redis).reader("events")
  const clock = yield* Clock.Clock
  let position = after
  let askRedisAt = 0

  const fromLog = Effect.suspend(() => log.read({ after: position, limit: mostAtOnce })).pipe(retryTransient(patience))
  const withoutRedis = Effect.tap(fromLog, (events) => (events.length === 0 ? Effect.sleep(askEvery) : Effect.void))
  const fromTail = Effect.suspend(() => tail.next(reader, position)).pipe(
    Effect.flatMap((part) => (part === undefined || part.previous > position ? fromLog : Effect.succeed(part.events))),
    Effect.catchTag("RedisFailure", () => {
      askRedisAt = clock.currentTimeMillisUnsafe() + redisPauseMillis
      return withoutRedis
    }),
  )
  const next = Effect.suspend(() => (clock.currentTimeMillisUnsafe() < askRedisAt ? withoutRedis : fromTail))
  return yield* Effect.forever(
    Effect.gen(function* () {
      const events = yield* next
      const last = events.at(-1)
      if (last !== undefined) {
        yield* take(events)
        position = last.seq
      }
      caughtUp()
    }),
  )
})
