import { Clock, Effect, Layer } from "effect"
import { type Coin, coins, type Tick, type TickSource, tickSources } from "#src/domain/Tick.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { TickFeed } from "#src/ticks/TickFeed.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { fickleRedis } from "#test/limits/fickleRedis.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"

export const tickStores = Layer.merge(TickStore.layer, TickTail.layer).pipe(Layer.provideMerge(testFoundation()))

interface TickBatch {
  readonly source?: TickSource
  readonly coin?: Coin
  /** Seconds after the writer's start. */
  readonly seconds: ReadonlyArray<number>
  /** Target store; both when left out. */
  readonly only?: "redis" | "postgres"
}

export const priceIn = (second: number) => 9_712_345_000_000n + BigInt(Math.floor(second)) * 50_000_000n

/** Clears all ticks, then writes those of the test, in seconds since a start four minutes ago. */
export const makeTickWriter = Effect.gen(function* () {
  const redis = yield* Redis
  const tail = yield* TickTail
  const store = yield* TickStore
  const { sql } = yield* Postgres
  yield* sql`truncate tick, tick_gap, tick_coverage`
  yield* redis.run((client) =>
    client.del(...tickSources.flatMap((source) => coins.map((coin) => keys(redis.prefix).ticks(coin, source)))),
  )
  const lease = yield* (yield* Leases).seize("ticks")
  const start = Math.floor((yield* Clock.currentTimeMillis) / 1000) * 1000 - 240_000
  const at = (second: number) => start + second * 1000

  const ticksOf = (coin: Coin, seconds: ReadonlyArray<number>): ReadonlyArray<Tick> =>
    seconds.map((second) => {
      const price = priceIn(second)
      return { coin, at: at(second), ...quoteOf(price, price - 100n, price + 100n) }
    })

  return {
    at,
    secondOf: (tick: Pick<LiveTick, "at">) => (tick.at - start) / 1000,
    publish: ({ source = "oracle_data_streams", coin = "BTC", seconds, only }: TickBatch) =>
      Effect.gen(function* () {
        const ticks = ticksOf(coin, seconds)
        const received = ticks.map((tick) => ({ ...tick, receivedAt: tick.at }))
        if (only !== "redis") yield* store.record(lease, source, { ticks: received, settled: [] })
        if (only !== "postgres") yield* tail.publish(source, ticks)
      }),
    /** Deletes a stream, like a restart of Redis without its data. */
    dropStream: (source: TickSource = "oracle_data_streams", coin: Coin = "BTC") =>
      redis.run((client) => client.del(keys(redis.prefix).ticks(coin, source))),
  }
})

/** The feed of another process with its own Redis connection, and the ticks that it publishes. */
export const remoteFeed = Effect.gen(function* () {
  const { prefix, proxy, layer: redis } = yield* fickleRedis
  const context = yield* Layer.build(
    Layer.fresh(TickFeed.layer).pipe(
      Layer.provide(Layer.fresh(TickTail.layer)),
      Layer.provide(redis),
      Layer.provide(testConfiguration({ "redis.prefix": prefix, "redis.command-timeout": "1s" })),
    ),
  )
  const feed = yield* Effect.provide(TickFeed, context)
  const received: Array<LiveTick> = []
  yield* feed.subscribe((ticks) => received.push(...ticks))
  return { proxy, feed, received }
})
