import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import type { TickRange } from "#src/domain/Tick.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { TickTail } from "#src/ticks/TickTail.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const source = "oracle_data_streams"
const midnight = 1_794_700_800

const tickAt = (second: number, price = 100n) => ({
  coin: "BTC" as const,
  at: second * 1000,
  price,
  bid: price - 1n,
  ask: price + 1n,
  receivedAt: second * 1000 + 20,
})

const world = Layer.merge(TickStore.layer, TickTail.layer).pipe(Layer.provideMerge(testFoundation()))

layer(world, { excludeTestServices: true })("The store of ticks", (it) => {
  const clear = Effect.flatMap(Postgres, ({ sql }) => sql`truncate tick, tick_gap, tick_coverage`)
  const stretch = (from: number, to: number): TickRange => ({ coin: "BTC", from: midnight + from, to: midnight + to })

  it.effect("keeps a tick once, across days, and the first one if two differ", () =>
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

  it.effect("keeps what was thought to be new, and what of it is when some of it was there", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      const keep = (seconds: ReadonlyArray<number>, price: bigint) =>
        store.record(lease, source, {
          ticks: seconds.map((second) => tickAt(midnight + second, price)),
          settled: [stretch(0, 6)],
          areNew: true,
        })
      assert.deepStrictEqual(yield* keep([0, 1, 3], 5n), { stored: 3, gaps: [stretch(2, 3), stretch(4, 6)] })
      assert.deepStrictEqual(yield* keep([0, 1, 7, 8], 7n), { stored: 2, gaps: [] })
      assert.deepStrictEqual(yield* keep([9, 9], 8n), { stored: 1, gaps: [] })
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

  it.effect("refuses what a replaced follower still has to say", () =>
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

  it.effect("knows of every second whether it came, never came or is still to be asked for", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      const span = 60
      const step = fc.record({
        present: fc.uniqueArray(fc.nat(span - 1), { maxLength: 6 }),
        settled: fc.option(fc.tuple(fc.nat(span - 1), fc.nat(20)), { nil: undefined }),
      })
      for (const steps of fc.sample(fc.array(step, { minLength: 1, maxLength: 6 }), { numRuns: 15, seed: 4 })) {
        const came = new Set<number>()
        const empty = new Set<number>()
        for (const { present, settled } of steps) {
          // What is settled stays so: the source is not asked again and says nothing else.
          const fresh = present.filter((second) => !empty.has(second))
          const asked = settled === undefined ? [] : [stretch(settled[0], Math.min(span, settled[0] + settled[1] + 1))]
          const recording = { ticks: fresh.map((second) => tickAt(midnight + second)), settled: asked }
          yield* store.record(lease, source, recording)
          const again = yield* store.record(lease, source, recording)
          assert.deepStrictEqual(again, { stored: 0, gaps: [] })
          for (const second of fresh) came.add(second)
          for (const { from, to } of asked) {
            for (let s = from - midnight; s < to - midnight; s++) if (!came.has(s)) empty.add(s)
          }
        }
        const secondsOf = (stretches: ReadonlyArray<TickRange>) =>
          stretches
            .filter(({ coin }) => coin === "BTC")
            .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i - midnight))
            .sort((a, b) => a - b)
        const unknown = Array.from({ length: span }, (_, s) => s).filter((s) => !came.has(s) && !empty.has(s))
        assert.deepStrictEqual(secondsOf(yield* store.missing(source, midnight, midnight + span)), unknown)
        assert.deepStrictEqual(
          secondsOf(yield* store.gaps(source, "BTC")),
          [...empty].sort((a, b) => a - b),
        )
        yield* clear
      }
    }),
  )

  it.effect("goes back to where it was left, however long ago", () =>
    Effect.gen(function* () {
      const store = yield* TickStore
      const lease = yield* (yield* Leases).seize("ticks")
      yield* store.record(lease, source, { ticks: [tickAt(midnight)], settled: [] })
      const [btc] = (yield* store.missing(source, midnight + 500, midnight + 600)).filter(({ coin }) => coin === "BTC")
      assert.deepStrictEqual(btc, stretch(1, 600))
      assert.deepStrictEqual([...(yield* store.beginnings(source))], [["BTC", midnight]])
      yield* clear
    }),
  )

  it.effect("live ticks are published in order and once, under their ids", () =>
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
