import { Clock, Effect } from "effect"
import type { Tick, TickSource } from "./model.ts"
import type { TickMetrics } from "./TickMetrics.ts"
import { TickTail } from "./TickTail.ts"

/** Ticks that may wait for Redis: what is more is not news by the time it would be there. */
const mostWaiting = 5_000

/**
 * Brings the ticks of a source to Redis without keeping whoever heard them: what comes while the last ones are on their
 * way goes with the next ones, all at once. Redis may be away; then live readers miss them, and they are kept all the same.
 */
export const makePublisher = Effect.fnUntraced(function* (source: TickSource, metrics: TickMetrics) {
  const tail = yield* TickTail
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  let waiting: Array<Tick> = []
  let heardAt: Array<bigint> = []
  let isSending = false

  const send = (ticks: ReadonlyArray<Tick>, heard: ReadonlyArray<bigint>) =>
    tail.publish(source, ticks).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          const now = clock.monotonicTimeNanosUnsafe()
          for (const since of heard) metrics.published(Number(now - since) / 1_000_000_000)
        }),
      ),
      Effect.catch((error) =>
        Effect.andThen(
          Effect.sync(() => metrics.unpublished(ticks.length)),
          Effect.logDebug(`ticks of ${source}: ${error.message}`),
        ),
      ),
    )

  const idle = Effect.sync(() => {
    isSending = false
  })

  const sendAll: Effect.Effect<void> = Effect.suspend(() => {
    const [ticks, heard] = [waiting, heardAt]
    waiting = []
    heardAt = []
    return Effect.flatMap(send(ticks, heard), () => {
      if (waiting.length > 0) return sendAll
      isSending = false
      return Effect.void
    })
  })

  return (ticks: ReadonlyArray<Tick>) =>
    Effect.suspend(() => {
      if (waiting.length + ticks.length > mostWaiting) {
        metrics.unpublished(ticks.length)
        return Effect.void
      }
      waiting.push(...ticks)
      heardAt.push(clock.monotonicTimeNanosUnsafe())
      if (isSending) return Effect.void
      isSending = true
      return Effect.asVoid(
        Effect.forkIn(
          Effect.onError(sendAll, () => idle),
          scope,
          { startImmediately: true },
        ),
      )
    })
})
