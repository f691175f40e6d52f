import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"
import { tickMaintenance } from "#actors/tickMaintenance.ts"
import { Jobs } from "#src/mesh/Jobs.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { TickMaintenance } from "#src/ticks/contracts.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { dropTickPartitions } from "#src/ticks/tickPartitions.ts"
import { eventually } from "#test/support/eventually.ts"
import { hold } from "#test/support/hold.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const source = "oracle_data_streams"
const day = 86_400_000

const world = TickStore.layer.pipe(Layer.provideMerge(testFoundation({ "ticks.retention": "30d" })))

layer(world, { excludeTestServices: true })("Tick retention", (it) => {
  const today = Effect.map(Clock.currentTimeMillis, (now) => now - (now % day))
  const tickAt = (at: number) => ({ coin: "BTC" as const, at, ...quoteOf(100n, 99n, 101n), receivedAt: at })
  const nameOf = (at: number) => `tick_${new Date(at).toISOString().slice(0, 10).replaceAll("-", "")}`

  const record = (moments: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const lease = yield* (yield* Leases).seize("ticks")
      return yield* (yield* TickStore).record(lease, source, { ticks: moments.map(tickAt), settled: [] })
    })
  const kept = Effect.gen(function* () {
    const store = yield* TickStore
    return (yield* store.read(source, "BTC", 0, 2 ** 52)).map(({ at }) => at)
  })
  const daysAgo = (midnight: number, days: ReadonlyArray<number>) => days.map((ago) => midnight - ago * day)

  it.effect("whole days past the retention are dropped and all other ticks stay", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const midnight = yield* today
      const moments = daysAgo(midnight, [40, 32, 31, 30, 29, 1, 0])
      yield* record(moments)
      const gap = (ago: number) => postgres.sql`
        insert into tick_gap (feed, source, from_at, to_at, found_at)
        values (0, 0, ${BigInt(midnight - ago * day)}, ${BigInt(midnight - ago * day + 1000)}, 0)`
      yield* Effect.forEach([31, 30], gap)
      // The day thirty days ago is within the retention until today ends.
      const dropped = yield* dropTickPartitions(postgres, Duration.days(30))
      assert.deepStrictEqual(dropped, daysAgo(midnight, [40, 32, 31]).map(nameOf))
      assert.deepStrictEqual(yield* kept, daysAgo(midnight, [30, 29, 1, 0]))
      const gaps = yield* (yield* TickStore).gaps(source, "BTC")
      assert.deepStrictEqual(gaps, [
        { coin: "BTC", from: (midnight - 30 * day) / 1000, to: (midnight - 30 * day) / 1000 + 1 },
      ])
      assert.deepStrictEqual(yield* dropTickPartitions(postgres, Duration.days(30)), [])
      // The store caches only recent partitions, because others may have been dropped.
      assert.strictEqual((yield* record(daysAgo(midnight, [40]))).stored, 1)
    }),
  )

  it.effect("a day that is being read is dropped later, without blocking writers", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres
      const midnight = yield* today
      yield* record(daysAgo(midnight, [50, 49]))
      const [locked, free] = daysAgo(midnight, [50, 49]).map(nameOf)
      const release = yield* hold(`lock table ${locked} in access share mode`)
      const dropped = yield* dropTickPartitions(postgres, Duration.days(30))
      assert.include(dropped, free)
      assert.notInclude(dropped, locked)
      assert.strictEqual((yield* record([midnight + 1_000])).stored, 1)
      yield* release
      assert.include(yield* dropTickPartitions(postgres, Duration.days(30)), locked)
    }),
  )

  it.effect("the maintenance job drops expired days", () =>
    Effect.gen(function* () {
      const midnight = yield* today
      const old = daysAgo(midnight, [60])
      yield* record(old)
      yield* (yield* Jobs).enqueue(TickMaintenance, {})
      yield* eventually(
        "the day sixty days ago is dropped",
        Effect.map(kept, (moments) => !moments.some((at) => old.includes(at))),
      )
    }).pipe(Effect.provide(tickMaintenance)),
  )
})
