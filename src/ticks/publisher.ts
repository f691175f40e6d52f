import { Clock, Effect } from "effect"
import type { Tick, TickSource } from "#src/domain/Tick.ts"
import type { TickMetrics } from "./TickMetrics.ts"
import { TickTail } from "./TickTail.ts"

/** Ticks that may be on their way to Redis: what is more is not news by the time it would be there. */
const mostUnderWay = 5_000

/**
 * Brings the ticks of a source to Redis without keeping whoever heard them, and without waiting for those before them:
 * one connection carries all, so that they come in order. Redis may be away; then live readers miss them, and they are
 * kept all the same.
 */
export const makePublisher = Effect.fnUntraced(function* (source: TickSource, metrics: TickMetrics) {
  const tail = yield* TickTail
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let underWay = 0

  const send = (ticks: ReadonlyArray<Tick>) =>
    Effect.suspend(() => {
      const heardAt = clock.monotonicTimeNanosUnsafe()
      underWay += ticks.length
      return tail.publish(source, ticks).pipe(
        Effect.map(() => metrics.published(Number(clock.monotonicTimeNanosUnsafe() - heardAt) / 1_000_000_000)),
        Effect.catch((error) => {
          metrics.unpublished(ticks.length)
          return Effect.logDebug(`ticks of ${source}: ${error.message}`)
        }),
        Effect.ensuring(
          Effect.sync(() => {
            underWay -= ticks.length
          }),
        ),
      )
    })

  return (ticks: ReadonlyArray<Tick>) =>
    Effect.suspend(() => {
      if (underWay + ticks.length <= mostUnderWay) {
        return Effect.asVoid(Effect.forkIn(send(ticks), scope, { startImmediately: true }))
      }
      metrics.unpublished(ticks.length)
      return Effect.void
    })
})
