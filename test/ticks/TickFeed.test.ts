import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { coins, tickSources } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { eventually } from "#test/support/eventually.ts"
import { makeTickWriter, priceIn, remoteFeed, tickStores } from "./liveSupport.ts"

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const source = "oracle_data_streams"

layer(tickStores, { excludeTestServices: true })("TickFeed", (it) => {
  const reaches = (received: ReadonlyArray<LiveTick>, at: number) =>
    eventually(
      `the tick of ${at} is received`,
      Effect.sync(() => received.some((tick) => tick.at === at)),
    )

  it.effect("starts with recent ticks from Postgres and continues from Redis, each tick once and in order", () =>
    Effect.gen(function* () {
      const { publish, at, secondOf } = yield* makeTickWriter
      yield* publish({ seconds: upTo(0, 9), only: "postgres" })
      yield* publish({ seconds: upTo(5, 12), only: "redis" })
      const { feed, received } = yield* remoteFeed
      assert.isTrue(feed.isLoaded())
      yield* eventually(
        "the ticks in Redis are read",
        Effect.sync(() => feed.memory(source, "BTC").position === at(12)),
      )
      const before = received.length
      yield* publish({ seconds: [14, 13], only: "redis" })
      yield* publish({ seconds: [11, 15], only: "redis" })
      yield* reaches(received, at(15))
      assert.deepStrictEqual(received.slice(before).map(secondOf), [13, 14, 15])
      const { ticks } = feed.memory(source, "BTC")
      assert.deepStrictEqual(ticks.map(secondOf), upTo(0, 15))
      assert.deepStrictEqual(
        ticks.map(({ price }) => price),
        upTo(0, 15).map(priceIn),
      )
      assert.isEmpty(feed.memory("platform_oracle", "BTC").ticks)
    }),
  )

  it.effect("reads ticks lost by Redis from Postgres, in order, and publishes none older than the newest", () =>
    Effect.gen(function* () {
      const { publish, at, secondOf, dropStream } = yield* makeTickWriter
      const { received } = yield* remoteFeed
      yield* publish({ coin: "ETH", seconds: upTo(0, 3) })
      yield* reaches(received, at(3))
      yield* dropStream(source, "ETH")
      yield* publish({ coin: "ETH", seconds: upTo(4, 8), only: "postgres" })
      yield* publish({ coin: "ETH", seconds: [9] })
      yield* reaches(received, at(9))
      yield* dropStream(source, "ETH")
      yield* publish({ coin: "ETH", seconds: [2, 7, 10] })
      yield* reaches(received, at(10))
      assert.deepStrictEqual(received.map(secondOf), upTo(0, 10))
      assert.isTrue(received.every(({ isAfterGap }) => !isAfterGap))
    }),
  )

  it.effect("reads from Postgres while Redis is unavailable and from Redis again once it recovers", () =>
    Effect.gen(function* () {
      const { publish, at, secondOf } = yield* makeTickWriter
      const { received, proxy } = yield* remoteFeed
      yield* publish({ coin: "SOL", seconds: [0, 1] })
      yield* reaches(received, at(1))
      proxy.become("refuse")
      yield* publish({ coin: "SOL", seconds: [2, 3], only: "postgres" })
      yield* reaches(received, at(3))
      yield* publish({ coin: "SOL", seconds: [4] })
      yield* reaches(received, at(4))
      proxy.become("pass")
      yield* publish({ coin: "SOL", seconds: upTo(5, 7), only: "redis" })
      yield* reaches(received, at(7))
      assert.deepStrictEqual(received.map(secondOf), upTo(0, 7))
    }),
  )

  it.effect("marks a gap that Postgres cannot fill and excludes it from the complete range", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { publish, at, secondOf } = yield* makeTickWriter
      const { received, feed } = yield* remoteFeed
      yield* publish({ coin: "BNB", seconds: [0, 1] })
      yield* reaches(received, at(1))
      yield* sql`alter table tick rename to tick_away`
      yield* publish({ coin: "BNB", seconds: [2, 5, 6], only: "redis" })
      yield* reaches(received, at(6))
      yield* sql`alter table tick_away rename to tick`
      assert.deepStrictEqual(
        received.map((tick) => [secondOf(tick), tick.isAfterGap]),
        [
          [0, false],
          [1, false],
          [2, false],
          [5, true],
          [6, false],
        ],
      )
      assert.strictEqual(feed.memory(source, "BNB").completeAfter, at(5) - 1)
    }),
  )

  it.effect("publishes every tick of every feed once and in order, whatever Redis loses", () =>
    Effect.gen(function* () {
      const { publish, at, secondOf, dropStream } = yield* makeTickWriter
      const { received } = yield* remoteFeed
      const feeds = tickSources.flatMap((from) => coins.map((coin) => ({ source: from, coin })))
      const fate = fc.constantFrom(
        "both" as const,
        "both" as const,
        "both" as const,
        "postgres" as const,
        "lost" as const,
      )
      const last = 15
      const [fates = []] = fc.sample(fc.array(fate, { minLength: last * 14, maxLength: last * 14 }), {
        numRuns: 1,
        seed: 7,
      })
      for (const second of upTo(0, last - 1)) {
        yield* Effect.forEach(
          feeds,
          (feed, index) => {
            const fate = fates[second * feeds.length + index]
            const published = publish({
              ...feed,
              seconds: [second],
              ...(fate === "both" ? {} : { only: "postgres" as const }),
            })
            return fate === "lost" ? Effect.andThen(dropStream(feed.source, feed.coin), published) : published
          },
          { concurrency: 7 },
        )
      }
      yield* Effect.forEach(feeds, (feed) => publish({ ...feed, seconds: [last] }))
      yield* eventually(
        "the last tick of every feed is received",
        Effect.sync(() => received.filter((tick) => tick.at === at(last)).length === feeds.length),
      )
      for (const feed of feeds) {
        const own = received.filter((tick) => tick.source === feed.source && tick.coin === feed.coin)
        assert.deepStrictEqual(own.map(secondOf), upTo(0, last), `${feed.source} ${feed.coin}`)
      }
    }),
  )
})
