import { Clock, Effect } from "effect"
import type { Tick, TickSource } from "#src/domain/Tick.ts"
import type { TickMetrics } from "./TickMetrics.ts"
import { TickTail } from "./TickTail.ts"

/** Limit of ticks in flight to Redis: more would be outdated on arrival. */
const maxInFlight = 5_000

/**
 * Publishes the ticks of a source to Redis without blocking the caller or waiting for earlier ticks: a single connection
 * keeps them in order. While Redis is unavailable live readers miss them; they are stored in Postgres all the same.
 */
export const makePublisher = Effect.fnUntraced(function* (source: TickSource, metrics: TickMetrics) {
  const tail = yield* TickTail
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let inFlight = 0

  const send = (ticks: ReadonlyArray<Tick>) =>
    Effect.suspend(() => {
      const receivedAt = clock.monotonicTimeNanosUnsafe()
      inFlight += ticks.length
      return tail.publish(source, ticks).pipe(
        Effect.map(() => metrics.published(Number(clock.monotonicTimeNanosUnsafe() - receivedAt) / 1_000_000_000)),
        Effect.catch((error) => {
          metrics.unpublished(ticks.length)
          return Effect.logDebug(`failed to publish ticks of ${source}: ${error.message}`)
        }),
        Effect.ensuring(
          Effect.sync(() => {
            inFlight -= ticks.length
          }),
        ),
      )
    })

  return (ticks: ReadonlyArray<Tick>) =>
    Effect.suspend(() => {
      if (inFlight + ticks.length <= maxInFlight) {
        return Effect.asVoid(Effect.forkIn(send(ticks), scope, { startImmediately: true }))
      }
      metrics.unpublished(ticks.length)
      return Effect.void
    })
})
