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
import { testConfiguration, testFoundation } from "#test/support/TestStores.ts"

export const tickStores = Layer.merge(TickStore.layer, TickTail.layer).pipe(Layer.provideMerge(testFoundation()))

interface Spoken {
  readonly source?: TickSource
  readonly coin?: Coin
  /** Seconds after the world's beginning. */
  readonly seconds: ReadonlyArray<number>
  /** Who hears of it; both when left out. */
  readonly only?: "redis" | "postgres"
}

export const priceIn = (second: number) => 9_712_345_000_000n + BigInt(Math.floor(second)) * 50_000_000n

/** A source that has said nothing yet and says what the test wants, in seconds since a moment four minutes ago. */
export const makeSpeaker = Effect.gen(function* () {
  const redis = yield* Redis
  const tail = yield* TickTail
  const store = yield* TickStore
  const { sql } = yield* Postgres
  yield* sql`truncate tick, tick_gap, tick_coverage`
  yield* redis.run((client) =>
    client.del(...tickSources.flatMap((source) => coins.map((coin) => keys(redis.prefix).ticks(coin, source)))),
  )
  const lease = yield* (yield* Leases).seize("ticks")
  const beginning = Math.floor((yield* Clock.currentTimeMillis) / 1000) * 1000 - 240_000
  const at = (second: number) => beginning + second * 1000

  const ticksOf = (coin: Coin, seconds: ReadonlyArray<number>): ReadonlyArray<Tick> =>
    seconds.map((second) => {
      const price = priceIn(second)
      return { coin, at: at(second), price, bid: price - 100n, ask: price + 100n }
    })

  return {
    at,
    secondOf: (tick: Pick<LiveTick, "at">) => (tick.at - beginning) / 1000,
    say: ({ source = "oracle_data_streams", coin = "BTC", seconds, only }: Spoken) =>
      Effect.gen(function* () {
        const ticks = ticksOf(coin, seconds)
        const received = ticks.map((tick) => ({ ...tick, receivedAt: tick.at }))
        if (only !== "redis") yield* store.record(lease, source, { ticks: received, settled: [] })
        if (only !== "postgres") yield* tail.publish(source, ticks)
      }),
    /** As when Redis is restarted without its data. */
    forget: (source: TickSource = "oracle_data_streams", coin: Coin = "BTC") =>
      redis.run((client) => client.del(keys(redis.prefix).ticks(coin, source))),
  }
})

/** The feed of another process, which reaches Redis by a way of its own; and all that it tells. */
export const distantFeed = Effect.gen(function* () {
  const { prefix, proxy, layer: redis } = yield* fickleRedis
  const context = yield* Layer.build(
    Layer.fresh(TickFeed.layer).pipe(
      Layer.provide(Layer.fresh(TickTail.layer)),
      Layer.provide(redis),
      Layer.provide(testConfiguration({ "redis.prefix": prefix })),
    ),
  )
  const feed = yield* Effect.provide(TickFeed, context)
  const heard: Array<LiveTick> = []
  yield* feed.subscribe((ticks) => heard.push(...ticks))
  return { proxy, feed, heard }
})
