import { Clock, Context, Effect, Latch, Layer, Schedule, type Scope } from "effect"
import { type Coin, coins, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { abandonAfter } from "#src/platform/process/deadline.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import type { StoreUnreachable } from "#src/platform/storeChecks.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { gapsIn, inOrder } from "./live/gaps.ts"
import { keptMillis, type LiveTick, FeedMemory } from "./live/FeedMemory.ts"
import { type Part, storedTicks } from "./live/storedTicks.ts"
import { maxAheadMillis } from "./RecentTicks.ts"
import { TickTail } from "./TickTail.ts"

/** A frozen Postgres must not keep the prices that are here. */
const patience = "2 seconds"
/** While Redis does not tell of them, Postgres is asked for new ticks this often. */
const askEvery = "500 millis"
/** After this a process starts without the last minutes, and loads them as soon as it can. */
const startWithin = "5 seconds"

/** How long to wait before Postgres is asked again for what is just being written. */
const writtenWithin = "50 millis"
const notWritten = "the ticks are not written yet"

const feedKey = (source: TickSource, coin: Coin) => `${source} ${coin}`

/** The tick behind a hole. */
const endOf = ({ source, coin, before }: Part) => `${feedKey(source, coin)} ${before}`

/**
 * The ticks of all feeds as they come, for everybody in this process. Redis tells of them first; what it lost, or what
 * comes while it is away, is read from Postgres. Nothing is told twice, nor anything older than what was told.
 */
export class TickFeed extends Context.Service<
  TickFeed,
  {
    /** Whether the last minutes have been loaded. */
    readonly isLoaded: () => boolean
    /** What is known of a feed at this moment. */
    readonly memory: (source: TickSource, coin: Coin) => FeedMemory
    /** Hands on what is new, which the memory has by then, oldest first, until the scope ends. */
    readonly subscribe: (hear: (ticks: ReadonlyArray<LiveTick>) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("presage/ticks/TickFeed") {
  static readonly layer: Layer.Layer<TickFeed, StoreUnreachable, TickTail | Postgres | Redis> = Layer.effect(
    TickFeed,
    Effect.gen(function* () {
      const { reads } = yield* Postgres
      const reader = yield* (yield* Redis).reader("ticks")
      const tail = yield* TickTail
      const clock = yield* Clock.Clock
      const listeners = new Set<(ticks: ReadonlyArray<LiveTick>) => void>()
      const since = clock.currentTimeMillisUnsafe() - keptMillis
      const memories = new Map(
        tickSources.flatMap((source) =>
          coins.map((coin) => [feedKey(source, coin), new FeedMemory(source, coin, since)] as const),
        ),
      )
      const memory = (source: TickSource, coin: Coin) => memories.get(feedKey(source, coin)) as FeedMemory
      let isLoaded = false

      const stored = (parts: ReadonlyArray<Part>) =>
        abandonAfter(storedTicks(reads, parts), patience, () => new Error("Postgres does not answer"))

      const tell = (ticks: ReadonlyArray<LiveTick>) => {
        const told = ticks.filter((tick) => memory(tick.source, tick.coin).add(tick))
        if (told.length > 0) for (const hear of listeners) hear(told)
      }

      const newer = Effect.suspend(() => {
        const before = clock.currentTimeMillisUnsafe() + maxAheadMillis
        return stored(
          [...memories.values()].map(({ source, coin, position: after }) => ({ source, coin, after, before })),
        )
      })

      const load = newer.pipe(
        Effect.tapError((error) => Effect.logWarning(`the last minutes of ticks: ${describe(error)}`)),
        Effect.retry(Schedule.spaced("1 second")),
        Effect.map(tell),
      )

      /**
       * What is in the holes. Ticks are written in order, but a moment after they are in Redis: only when the one behind a
       * hole is there does Postgres have everything that is in it.
       */
      const filling = (holes: ReadonlyArray<Part>) =>
        Effect.gen(function* () {
          const found = yield* storedTicks(
            reads,
            holes.map((hole) => ({ ...hole, before: hole.before + 1 })),
          )
          const there = new Set(found.map(({ source, coin, at }) => `${feedKey(source, coin)} ${at}`))
          return holes.every((hole) => there.has(endOf(hole))) ? found : yield* Effect.fail(new Error(notWritten))
        }).pipe(Effect.retry(Schedule.spaced(writtenWithin)), (filled) =>
          abandonAfter(filled, patience, () => new Error("Postgres does not have them")),
        )

      /** With what Redis lost; where nobody knows whether it lost something, that is said. */
      const completed = (came: ReadonlyArray<LiveTick>) => {
        const holes = gapsIn(came, (source, coin) => memory(source, coin).position)
        if (holes.length === 0) return Effect.succeed(came)
        return filling(holes).pipe(
          Effect.map((found) => inOrder([...came, ...found])),
          Effect.catch((error) => {
            const ends = new Set(holes.map(endOf))
            return Effect.as(
              Effect.logWarning(`ticks that Redis does not have: ${describe(error)}`),
              came.map((tick) =>
                ends.has(`${feedKey(tick.source, tick.coin)} ${tick.at}`) ? { ...tick, isAfterGap: true } : tick,
              ),
            )
          }),
        )
      }

      const fromRedis = Effect.suspend(() => tail.next(reader, [...memories.values()])).pipe(
        Effect.flatMap((ticks) => completed(inOrder(ticks.map((tick) => ({ ...tick, isAfterGap: false }))))),
      )
      const withoutRedis = newer.pipe(
        Effect.delay(askEvery),
        Effect.catch((error) => Effect.as(Effect.logDebug(`ticks without Redis: ${describe(error)}`), [])),
      )
      const round = fromRedis.pipe(
        Effect.catchTag("RedisFailure", () => withoutRedis),
        Effect.map(tell),
        Effect.catchCause((cause) => Effect.delay(Effect.logWarning("live ticks could not be told", cause), askEvery)),
      )

      const loaded = yield* Latch.make()
      const start = Effect.tap(load, () => {
        isLoaded = true
        return loaded.open
      })
      yield* Effect.forkScoped(Effect.andThen(start, Effect.forever(round)))
      yield* Effect.timeoutOption(loaded.await, startWithin)

      return TickFeed.of({
        isLoaded: () => isLoaded,
        memory,
        subscribe: (hear) =>
          Effect.acquireRelease(
            Effect.sync(() => listeners.add(hear)),
            () => Effect.sync(() => listeners.delete(hear)),
          ),
      })
    }),
  )
}
