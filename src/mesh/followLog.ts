import { Clock, Effect } from "effect"
import { Redis } from "#src/platform/redis/Redis.ts"
import { retryTransient } from "#src/platform/sql/sqlFailure.ts"
import { EventLog, type LoggedEvent } from "./EventLog.ts"
import { EventTail, mostAtOnce } from "./EventTail.ts"

/** While Redis does not tell of them, the log is asked for new events this often. */
const askEvery = "250 millis"
/** A Redis that is frozen takes seconds to give no answer, so it is not asked each time. */
const redisPauseMillis = 5_000
/** How long Postgres may be away before whoever follows has to begin anew. */
const patience = "10 minutes"

/**
 * Hands on every event after a seq, in order and none left out, for ever. Redis tells of them first; whatever its tail
 * does not have (it was lost, the relay is away, Redis is) is read from the log itself.
 */
export const followLog = Effect.fnUntraced(function* <E, R>(
  after: bigint,
  take: (events: ReadonlyArray<LoggedEvent>) => Effect.Effect<void, E, R>,
  /** All there is has been handed on; happens at least every few seconds while the log can be read. */
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
