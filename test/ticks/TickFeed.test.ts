import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { coins, tickSources } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { LiveTick } from "#src/ticks/live/FeedMemory.ts"
import { eventually } from "#test/support/eventually.ts"
import { distantFeed, makeSpeaker, priceIn, tickStores } from "./liveSupport.ts"

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)
const source = "oracle_data_streams"

layer(tickStores, { excludeTestServices: true })("The live ticks of a process", (it) => {
  const reaches = (heard: ReadonlyArray<LiveTick>, at: number) =>
    eventually(
      `the tick of ${at} is heard`,
      Effect.sync(() => heard.some((tick) => tick.at === at)),
    )

  it.effect("begin with the last minutes from Postgres and go on from Redis, each once and in order", () =>
    Effect.gen(function* () {
      const { say, at, secondOf } = yield* makeSpeaker
      yield* say({ seconds: upTo(0, 9), only: "postgres" })
      yield* say({ seconds: upTo(5, 12), only: "redis" })
      const { feed, heard } = yield* distantFeed
      assert.isTrue(feed.isLoaded())
      yield* eventually(
        "what Redis has is there",
        Effect.sync(() => feed.memory(source, "BTC").position === at(12)),
      )
      const before = heard.length
      yield* say({ seconds: [14, 13], only: "redis" })
      yield* say({ seconds: [11, 15], only: "redis" })
      yield* reaches(heard, at(15))
      assert.deepStrictEqual(heard.slice(before).map(secondOf), [13, 14, 15])
      const { ticks } = feed.memory(source, "BTC")
      assert.deepStrictEqual(ticks.map(secondOf), upTo(0, 15))
      assert.deepStrictEqual(
        ticks.map(({ price }) => price),
        upTo(0, 15).map(priceIn),
      )
      assert.isEmpty(feed.memory("platform_oracle", "BTC").ticks)
    }),
  )

  it.effect("what Redis lost comes late but in order, and nothing older than what was told", () =>
    Effect.gen(function* () {
      const { say, at, secondOf, forget } = yield* makeSpeaker
      const { heard } = yield* distantFeed
      yield* say({ coin: "ETH", seconds: upTo(0, 3) })
      yield* reaches(heard, at(3))
      yield* forget(source, "ETH")
      yield* say({ coin: "ETH", seconds: upTo(4, 8), only: "postgres" })
      yield* say({ coin: "ETH", seconds: [9] })
      yield* reaches(heard, at(9))
      yield* forget(source, "ETH")
      yield* say({ coin: "ETH", seconds: [2, 7, 10] })
      yield* reaches(heard, at(10))
      assert.deepStrictEqual(heard.map(secondOf), upTo(0, 10))
      assert.isTrue(heard.every(({ isAfterGap }) => !isAfterGap))
    }),
  )

  it.effect("come from Postgres while Redis is away, and go on from Redis when it is back", () =>
    Effect.gen(function* () {
      const { say, at, secondOf } = yield* makeSpeaker
      const { heard, proxy } = yield* distantFeed
      yield* say({ coin: "SOL", seconds: [0, 1] })
      yield* reaches(heard, at(1))
      proxy.become("refuse")
      yield* say({ coin: "SOL", seconds: [2, 3], only: "postgres" })
      yield* reaches(heard, at(3))
      yield* say({ coin: "SOL", seconds: [4] })
      yield* reaches(heard, at(4))
      proxy.become("pass")
      yield* say({ coin: "SOL", seconds: upTo(5, 7), only: "redis" })
      yield* reaches(heard, at(7))
      assert.deepStrictEqual(heard.map(secondOf), upTo(0, 7))
    }),
  )

  it.effect("a gap that nobody can be asked about is marked, and is no part of what is complete", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const { say, at, secondOf } = yield* makeSpeaker
      const { heard, feed } = yield* distantFeed
      yield* say({ coin: "BNB", seconds: [0, 1] })
      yield* reaches(heard, at(1))
      yield* sql`alter table tick rename to tick_away`
      yield* say({ coin: "BNB", seconds: [2, 5, 6], only: "redis" })
      yield* reaches(heard, at(6))
      yield* sql`alter table tick_away rename to tick`
      assert.deepStrictEqual(
        heard.map((tick) => [secondOf(tick), tick.isAfterGap]),
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

  it.effect("whatever is lost of all feeds on the way through Redis, everything is told once and in order", () =>
    Effect.gen(function* () {
      const { say, at, secondOf, forget } = yield* makeSpeaker
      const { heard } = yield* distantFeed
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
          (feed, place) => {
            const lot = fates[second * feeds.length + place]
            const said = say({ ...feed, seconds: [second], ...(lot === "both" ? {} : { only: "postgres" as const }) })
            return lot === "lost" ? Effect.andThen(forget(feed.source, feed.coin), said) : said
          },
          { concurrency: 7 },
        )
      }
      yield* Effect.forEach(feeds, (feed) => say({ ...feed, seconds: [last] }))
      yield* eventually(
        "the last of every feed is heard",
        Effect.sync(() => heard.filter((tick) => tick.at === at(last)).length === feeds.length),
      )
      for (const feed of feeds) {
        const own = heard.filter((tick) => tick.source === feed.source && tick.coin === feed.coin)
        assert.deepStrictEqual(own.map(secondOf), upTo(0, last), `${feed.source} ${feed.coin}`)
      }
    }),
  )
})
