import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import fc from "fast-check"
import { tickSources } from "#src/domain/Tick.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type EncodedTicks, type TickQuery, TickSegments } from "#src/ticks/segments/TickSegments.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { dropTickPartitions } from "#src/ticks/tickPartitions.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { midnight, plainQuery, priceAt, seconds, store, tickAt } from "./segmentsSupport.ts"

const [streams, platform] = tickSources
const hour = 3_600_000

const textOf = ({ pieces }: EncodedTicks) =>
  Effect.promise(async () => {
    let text = ""
    for await (const piece of pieces()) text += piece.toString("latin1")
    return text
  })

/** The reported count and the actual text of an answer. */
const answerOf = (range: TickQuery) =>
  Effect.gen(function* () {
    const encoded = yield* (yield* TickSegments).select(range)
    const text = yield* textOf(encoded)
    assert.strictEqual(text.length, encoded.bytes)
    return { count: encoded.count, text }
  })

const expectPlainQuery = (range: TickQuery) =>
  Effect.gen(function* () {
    const expected = yield* plainQuery(range)
    assert.deepStrictEqual(
      yield* answerOf(range),
      { count: expected.length, text: expected.join(",") },
      JSON.stringify(range),
    )
  })

/** Runs with an empty cache, like another process. */
const inAnotherProcess = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Layer.fresh(TickSegments.layer))

const world = (flags: Record<string, string> = {}) =>
  Layer.merge(TickStore.layer, TickSegments.layer).pipe(Layer.provideMerge(testFoundation(flags)))

/** Both sources around midnight, each with its own gaps; the second also has ticks between whole seconds. */
const history = Effect.gen(function* () {
  yield* store(
    streams,
    seconds("BTC", midnight - hour, midnight + hour, (second) => second % 97 === 0 || second % 3600 > 3000),
  )
  yield* store(
    platform,
    seconds("BTC", midnight - hour / 2, midnight + hour, (second) => second % 5 === 0).map((tick, i) =>
      i % 7 === 0 ? { ...tick, at: tick.at + 250 } : tick,
    ),
  )
  // Far ahead, so that all segments above are closed.
  for (const source of tickSources)
    yield* store(source, seconds("BTC", midnight + 4 * hour, midnight + 4 * hour + 2000))
})

const ranges = (count: number, seed: number) =>
  fc
    .sample(
      fc.record({
        coin: fc.constant("BTC" as const),
        source: fc.constantFrom(streams, platform, undefined),
        from: fc.oneof(
          fc.integer({ min: -hour - 500_000, max: hour + 300_000 }),
          fc.integer({ min: -7, max: 6 }).map((n) => n * 600_000),
        ),
        length: fc.oneof(
          fc.integer({ min: 1, max: 2 * hour }),
          fc.integer({ min: 1, max: 5_000 }),
          fc.constant(600_000),
          fc.constant(24 * hour),
        ),
        limit: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 20_000 }), fc.constant(100_000)),
      }),
      { numRuns: count, seed },
    )
    .map(({ from, length, ...rest }) => ({ ...rest, from: midnight + from, to: midnight + from + length }))

layer(world(), { excludeTestServices: true })("TickSegments", (it) => {
  it.effect("returns what a plain query returns, whatever the bounds", () =>
    Effect.gen(function* () {
      yield* history
      for (const range of ranges(process.env.PRESAGE_SOAK === "1" ? 2_000 : 30, 61)) yield* expectPlainQuery(range)
      // The newest segments are read from Postgres.
      const newest = midnight + 4 * hour
      yield* expectPlainQuery({ coin: "BTC", source: undefined, from: newest - 700_000, to: newest + 1_000, limit: 9 })
      yield* expectPlainQuery({ coin: "BTC", source: undefined, from: newest, to: newest + hour, limit: 3 })
    }),
  )

  it.effect("returns nothing before the first tick and for a coin without ticks", () =>
    Effect.gen(function* () {
      const nothing = { count: 0, text: "" }
      const range = { coin: "BTC", source: undefined, from: 0, to: 24 * hour, limit: 5 } as const
      assert.deepStrictEqual(yield* answerOf(range), nothing)
      assert.deepStrictEqual(yield* answerOf({ ...range, from: midnight - 3 * hour, to: midnight - 2 * hour }), nothing)
      assert.deepStrictEqual(yield* answerOf({ ...range, coin: "ETH", from: midnight, to: midnight + hour }), nothing)
    }),
  )

  it.effect("includes late ticks in the very next answer, in every process", () =>
    Effect.gen(function* () {
      const day = { coin: "BTC", from: midnight - hour, to: midnight + hour, limit: 100_000 } as const
      const all = [streams, platform, undefined].map((source) => ({ ...day, source }))
      yield* inAnotherProcess(
        Effect.gen(function* () {
          yield* Effect.forEach(all, expectPlainQuery)
          const here = { ...day, source: streams }
          const before = yield* answerOf(here)
          // A late tick, then a page of history over three segments, most of it already stored.
          const late = midnight - 97_000 - (((midnight - 97_000) / 1000) % 97) * 1000
          yield* store(streams, [tickAt("BTC", late, priceAt(late))])
          assert.strictEqual((yield* answerOf(here)).count, before.count + 1)
          yield* Effect.forEach(all, expectPlainQuery)
          yield* store(streams, seconds("BTC", midnight + 40 * 60_000, midnight + 55 * 60_000))
          yield* Effect.forEach(all, expectPlainQuery)
          assert.isAbove((yield* answerOf(here)).count, before.count + 250)
        }),
      )
      yield* Effect.forEach(all, expectPlainQuery)
    }),
  )

  it.effect("sends a slow reader its original answer while ticks change", () =>
    Effect.gen(function* () {
      const range = { coin: "BTC", source: platform, from: midnight, to: midnight + hour, limit: 100_000 } as const
      const expected = (yield* plainQuery(range)).join(",")
      const slow = yield* (yield* TickSegments).select(range)
      yield* store(platform, seconds("BTC", midnight, midnight + hour))
      yield* expectPlainQuery(range)
      assert.strictEqual(yield* textOf(slow), expected)
      assert.notStrictEqual((yield* answerOf(range)).text, expected)
    }),
  )

  it.effect("begins the answer about settled ticks before it reads them", () =>
    Effect.gen(function* () {
      const { sql, tx } = yield* Postgres
      const range = { coin: "XRP", source: streams, from: midnight, to: midnight + 2 * hour, limit: 100_000 } as const
      // Prices of any length, and half of the ticks sent twice.
      const ticks = seconds("XRP", range.from, range.to).map((tick, i) => ({
        ...tick,
        ...quoteOf(tick.price * 10n ** BigInt(i % 4), i % 3 === 0 ? -tick.bid : BigInt(i), tick.ask),
      }))
      yield* store(streams, ticks)
      yield* store(
        streams,
        ticks.filter((_, i) => i % 2 === 0),
      )
      yield* store(streams, seconds("XRP", midnight + 4 * hour, midnight + 4 * hour + 2_000))
      const expected = (yield* plainQuery(range)).join(",")
      yield* inAnotherProcess(
        Effect.gen(function* () {
          const { select } = yield* TickSegments
          const begun = yield* tx(Effect.andThen(sql`lock table tick in access exclusive mode`, select(range)))
          assert.deepInclude(begun, { count: ticks.length, bytes: expected.length })
          assert.strictEqual(yield* textOf(begun), expected)
        }),
      )
    }),
  )

  it.effect("returns nothing of a dropped day", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const [today] = yield* postgres.sql<{ now: Date }>`select now() as now`
      const old = Math.floor((today?.now.getTime() ?? 0) / 86_400_000) * 86_400_000 - 40 * 86_400_000
      const range = { coin: "SOL", source: streams, from: old, to: old + hour, limit: 100 } as const
      yield* store(streams, [...seconds("SOL", old, old + 3_000), tickAt("SOL", old + 20 * 86_400_000, 5n)])
      assert.strictEqual((yield* answerOf(range)).count, 3)
      yield* dropTickPartitions(postgres, Duration.days(30))
      assert.strictEqual((yield* answerOf(range)).count, 0)
      assert.isEmpty(yield* postgres.sql`select 1 from tick_revision where stretch < ${(old + 86_400_000) / 600_000}`)
      // Other ticks of the same day again: cached segments of the dropped table are not used.
      yield* store(streams, seconds("SOL", old + 60_000, old + 62_000))
      yield* expectPlainQuery(range)
    }),
  )
})

layer(world({ "ticks.segment-memory": "1" }), { excludeTestServices: true })(
  "TickSegments with a small cache",
  (it) => {
    it.effect("returns complete ranges larger than the cache, several at a time", () =>
      Effect.gen(function* () {
        yield* history
        const range = {
          coin: "BTC",
          source: undefined,
          from: midnight - hour,
          to: midnight + hour,
          limit: 100_000,
        } as const
        assert.isAbove((yield* answerOf(range)).text.length, 2 * 2 ** 20)
        yield* Effect.forEach([range, range, { ...range, limit: 7_000 }, ...ranges(12, 62)], expectPlainQuery, {
          concurrency: 4,
        })
      }),
    )

    it.effect("fails an answer whose ticks changed instead of sending other data", () =>
      Effect.gen(function* () {
        const range = {
          coin: "BTC",
          source: undefined,
          from: midnight - hour,
          to: midnight + hour,
          limit: 100_000,
        } as const
        const slow = yield* (yield* TickSegments).select(range)
        yield* store(streams, seconds("BTC", midnight - hour, midnight - hour / 2))
        yield* expectPlainQuery(range)
        const failure = yield* Effect.flip(
          Effect.tryPromise({ try: () => Effect.runPromise(textOf(slow)), catch: String }),
        )
        assert.match(failure, /changed while they were being sent/)
      }),
    )
  },
)
