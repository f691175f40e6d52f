import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import type { TickRange } from "#src/domain/Tick.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const source = "oracle_data_streams"
const midnight = 1_794_700_800

const tickAt = (second: number, price = 100n) => ({
  coin: "BTC" as const,
  at: second * 1000,
  ...quoteOf(price, price - 1n, price + 1n),
  receivedAt: second * 1000 + 20,
})

const world = Layer.merge(TickStore.layer, TickTail.layer).pipe(Layer.provideMerge(testFoundation()))

layer(world, { excludeTestServices: true })("TickStore and TickTail", (it) => {
  const clear = Effect.flatMap(Postgres, ({ sql }) => sql`truncate tick, tick_gap, tick_coverage`)
  const range = (from: number, to: number): TickRange => ({ coin: "BTC", from: midnight + from, to: midnight + to })

  it.effect("TickStore stores a tick once, across days, and keeps the first of two that differ", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      const ticks = [-2, -1, 0, 1].map((second) => tickAt(midnight + second))
      assert.strictEqual((yield* store.record(lease, source, { ticks, settled: [] })).stored, 4)
      const changed = ticks.map(({ at }) => tickAt(at / 1000, 7n))
      assert.strictEqual((yield* store.record(lease, source, { ticks: changed, settled: [] })).stored, 0)
      assert.deepStrictEqual(yield* store.read(source, "BTC", 0, 2 ** 52), ticks)
      assert.isEmpty(yield* store.read("platform_oracle", "BTC", 0, 2 ** 52))
      assert.isEmpty(yield* store.read(source, "ETH", 0, 2 ** 52))
      yield* clear
    }),
  )

  it.effect("TickStore stores ticks assumed to be new, and only the missing ones when some already exist", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      const record = (seconds: ReadonlyArray<number>, price: bigint) =>
        store.record(lease, source, {
          ticks: seconds.map((second) => tickAt(midnight + second, price)),
          settled: [range(0, 6)],
          areNew: true,
        })
      assert.deepStrictEqual(yield* record([0, 1, 3], 5n), { stored: 3, gaps: [range(2, 3), range(4, 6)] })
      assert.deepStrictEqual(yield* record([0, 1, 7, 8], 7n), { stored: 2, gaps: [] })
      assert.deepStrictEqual(yield* record([9, 9], 8n), { stored: 1, gaps: [] })
      assert.deepStrictEqual(
        (yield* store.read(source, "BTC", 0, 2 ** 52)).map(({ at, price }) => [at / 1000 - midnight, price]),
        [
          [0, 5n],
          [1, 5n],
          [3, 5n],
          [7, 7n],
          [8, 7n],
          [9, 8n],
        ],
      )
      yield* clear
    }),
  )

  it.effect("TickStore rejects the writes of a replaced follower", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const leases = yield* Leases
      const old = yield* leases.seize("ticks")
      yield* leases.seize("ticks")
      const recording = { ticks: [tickAt(midnight)], settled: [] }
      assert.strictEqual((yield* Effect.flip(store.record(old, source, recording)))._tag, "LeaseLost")
      assert.isEmpty(yield* store.read(source, "BTC", 0, 2 ** 52))
    }),
  )

  it.effect("TickStore classifies every second as received, empty or still unknown", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      const span = 60
      const step = fc.record({
        present: fc.uniqueArray(fc.nat(span - 1), { maxLength: 6 }),
        settled: fc.option(fc.tuple(fc.nat(span - 1), fc.nat(20)), { nil: undefined }),
      })
      for (const steps of fc.sample(fc.array(step, { minLength: 1, maxLength: 6 }), { numRuns: 15, seed: 4 })) {
        const received = new Set<number>()
        const empty = new Set<number>()
        for (const { present, settled } of steps) {
          // Settled seconds stay settled: the source is not queried again.
          const fresh = present.filter((second) => !empty.has(second))
          const ranges = settled === undefined ? [] : [range(settled[0], Math.min(span, settled[0] + settled[1] + 1))]
          const recording = { ticks: fresh.map((second) => tickAt(midnight + second)), settled: ranges }
          yield* store.record(lease, source, recording)
          const again = yield* store.record(lease, source, recording)
          assert.deepStrictEqual(again, { stored: 0, gaps: [] })
          for (const second of fresh) received.add(second)
          for (const { from, to } of ranges) {
            for (let s = from - midnight; s < to - midnight; s++) if (!received.has(s)) empty.add(s)
          }
        }
        const secondsOf = (ranges: ReadonlyArray<TickRange>) =>
          ranges
            .filter(({ coin }) => coin === "BTC")
            .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i - midnight))
            .sort((a, b) => a - b)
        const unknown = Array.from({ length: span }, (_, s) => s).filter((s) => !received.has(s) && !empty.has(s))
        assert.deepStrictEqual(secondsOf(yield* store.missing(source, midnight, midnight + span)), unknown)
        assert.deepStrictEqual(
          secondsOf(yield* store.gaps(source, "BTC")),
          [...empty].sort((a, b) => a - b),
        )
        yield* clear
      }
    }),
  )

  it.effect("TickStore reports unknown ranges back to the last known second, however old it is", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      yield* store.record(lease, source, { ticks: [tickAt(midnight)], settled: [] })
      const [btc] = (yield* store.missing(source, midnight + 500, midnight + 600)).filter(({ coin }) => coin === "BTC")
      assert.deepStrictEqual(btc, range(1, 600))
      assert.deepStrictEqual([...(yield* store.coverageStarts(source))], [["BTC", midnight]])
      yield* clear
    }),
  )

  it.effect("TickTail publishes live ticks once and in order, under their ids", () =>
    Effect.gen(function* () {
      const tail = yield* TickTail
      const ticks = [3, 1, 2].map((second) => tickAt(midnight + second))
      assert.strictEqual(yield* tail.publish(source, ticks), 3)
      assert.strictEqual(yield* tail.publish(source, [...ticks, tickAt(midnight), tickAt(midnight + 4)]), 1)
      assert.strictEqual(yield* tail.publish("platform_oracle", [tickAt(midnight)]), 1)
      const read = yield* tail.read(source, "BTC", `${midnight + 1}000-0`, 10)
      assert.deepStrictEqual(
        read.map(({ id, price }) => [id, price]),
        [2, 3, 4].map((second) => [`${midnight + second}000-0`, 100n]),
      )
    }),
  )
})
