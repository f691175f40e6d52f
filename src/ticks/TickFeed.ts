import { Clock, Context, Effect, Latch, Layer, Schedule, type Scope } from "effect"
import { type Coin, coins, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import type { StoreUnreachable } from "#src/platform/storeChecks.ts"
import { FeedMemory, keptMillis, type LiveTick } from "./live/FeedMemory.ts"
import { type FeedRange, gapsIn, inOrder, storedTicks } from "./live/storedTicks.ts"
import { maxAheadMillis } from "./RecentTicks.ts"
import { TickTail } from "./TickTail.ts"

/** An unresponsive Postgres must not delay prices that have arrived. */
const queryTimeout = "2 seconds"
/** Postgres polling interval while Redis is unavailable. */
const pollInterval = "500 millis"
/** After this the process starts without recent ticks and loads them in the background. */
const startTimeout = "5 seconds"

/** Delay before reading ticks again that are still being written. */
const storeDelay = "50 millis"
const notStored = "the ticks are not stored yet"

const feedKey = (source: TickSource, coin: Coin) => `${source} ${coin}`

/** Key of the tick that ends a gap. */
const gapEnd = ({ source, coin, before }: FeedRange) => `${feedKey(source, coin)} ${before}`

/**
 * Live ticks of all feeds for all subscribers of this process. They come from Redis; those that Redis lost or missed
 * while unavailable are read from Postgres. Each tick is published once, and none older than the newest published.
 */
export class TickFeed extends Context.Service<
  TickFeed,
  {
    /** Whether recent ticks have been loaded. */
    readonly isLoaded: () => boolean
    /** Recent ticks of a feed. */
    readonly memory: (source: TickSource, coin: Coin) => FeedMemory
    /** Calls `handler` with new ticks, oldest first, after adding them to the memory, until the scope closes. */
    readonly subscribe: (handler: (ticks: ReadonlyArray<LiveTick>) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("presage/ticks/TickFeed") {
  static readonly layer: Layer.Layer<TickFeed, StoreUnreachable, TickTail | Postgres | Redis> = Layer.effect(
    TickFeed,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const reader = yield* (yield* Redis).reader("ticks")
      const tail = yield* TickTail
      const clock = yield* Clock.Clock
      const subscribers = new Set<(ticks: ReadonlyArray<LiveTick>) => void>()
      const since = clock.currentTimeMillisUnsafe() - keptMillis
      const memories = new Map(
        tickSources.flatMap((source) =>
          coins.map((coin) => [feedKey(source, coin), new FeedMemory(source, coin, since)] as const),
        ),
      )
      const memory = (source: TickSource, coin: Coin) => memories.get(feedKey(source, coin)) as FeedMemory
      let isLoaded = false

      const readStored = (ranges: ReadonlyArray<FeedRange>) =>
        abandonAfter(storedTicks(reads, ranges), queryTimeout, () => new Error("Postgres does not respond"))

      const publish = (ticks: ReadonlyArray<LiveTick>) => {
        const added = ticks.filter((tick) => memory(tick.source, tick.coin).add(tick))
        if (added.length > 0) for (const handler of subscribers) handler(added)
      }

      const newer = Effect.suspend(() => {
        const before = clock.currentTimeMillisUnsafe() + maxAheadMillis
        return readStored(
          [...memories.values()].map(({ source, coin, position: after }) => ({ source, coin, after, before })),
        )
      })

      const load = newer.pipe(
        Effect.tapError((error) => Effect.logWarning(`failed to load recent ticks: ${describe(error)}`)),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.map(publish),
      )

      /**
       * Reads the ticks in gaps. Postgres stores ticks in order but slightly after Redis: a gap is complete only once the
       * tick that ends it is stored.
       */
      const readGaps = (gaps: ReadonlyArray<FeedRange>) =>
        Effect.gen(function* () {
          const found = yield* storedTicks(
            reads,
            gaps.map((gap) => ({ ...gap, before: gap.before + 1 })),
          )
          const storedKeys = new Set(found.map(({ source, coin, at }) => `${feedKey(source, coin)} ${at}`))
          return gaps.every((gap) => storedKeys.has(gapEnd(gap))) ? found : yield* Effect.fail(new Error(notStored))
        }).pipe(Effect.retry(Schedule.spaced(storeDelay)), (read) =>
          abandonAfter(read, queryTimeout, () => new Error("the ticks were not stored in time")),
        )

      /** Adds ticks that Redis lost; marks the gap when Postgres cannot tell. */
      const fillGaps = (received: ReadonlyArray<LiveTick>) => {
        const gaps = gapsIn(received, (source, coin) => memory(source, coin).position)
        if (gaps.length === 0) return Effect.succeed(received)
        return readGaps(gaps).pipe(
          Effect.map((found) => inOrder([...received, ...found])),
          Effect.catch((error) => {
            const ends = new Set(gaps.map(gapEnd))
            return Effect.as(
              Effect.logWarning(`failed to read ticks missing in Redis: ${describe(error)}`),
              received.map((tick) =>
                ends.has(`${feedKey(tick.source, tick.coin)} ${tick.at}`) ? { ...tick, isAfterGap: true } : tick,
              ),
            )
          }),
        )
      }

      const fromRedis = Effect.suspend(() => tail.next(reader, [...memories.values()])).pipe(
        Effect.flatMap((ticks) => fillGaps(inOrder(ticks.map((tick) => ({ ...tick, isAfterGap: false }))))),
      )
      const withoutRedis = newer.pipe(
        Effect.delay(pollInterval),
        Effect.catch((error) =>
          Effect.as(Effect.logDebug(`failed to poll ticks from Postgres: ${describe(error)}`), []),
        ),
      )
      const round = fromRedis.pipe(
        Effect.catchTag("RedisFailure", () => withoutRedis),
        Effect.map(publish),
        Effect.catchCause((cause) =>
          Effect.delay(Effect.logWarning("failed to publish live ticks", cause), pollInterval),
        ),
      )

      const loaded = yield* Latch.make()
      const start = Effect.tap(load, () => {
        isLoaded = true
        return loaded.open
      })
      yield* Effect.forkScoped(Effect.andThen(start, Effect.forever(round)))
      yield* Effect.timeoutOption(loaded.await, startTimeout)

      return TickFeed.of({
        isLoaded: () => isLoaded,
        memory,
        subscribe: (handler) =>
          Effect.acquireRelease(
            Effect.sync(() => subscribers.add(handler)),
            () => Effect.sync(() => subscribers.delete(handler)),
          ),
      })
    }),
  )
}
