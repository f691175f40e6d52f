import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import type { Disconnect } from "#src/streams/access/RecentDisconnects.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { gateway, someLineage } from "./support/gateway.ts"

const start = Date.UTC(2031, 4, 7)

const disconnect = (id: string, at: number): Disconnect => ({
  subscriber_id: id,
  code: 4008,
  reason: "read too slowly",
  at,
  from_seq: 17,
  to_seq: 23,
})

layer(testFoundation(), { excludeTestServices: true })("RecentDisconnects", (it) => {
  it.effect("are taken once, also by another gateway: the named one, or else the newest of the key", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* gateway({ now: () => start }), yield* gateway({ now: () => start })]
      const lineage = someLineage()
      for (const [i, id] of ["a", "b", "c"].entries()) yield* one.disconnects.record(lineage, disconnect(id, start + i))
      assert.isUndefined(yield* two.disconnects.take(someLineage(), "a"))
      assert.isUndefined(yield* two.disconnects.take(someLineage()))
      assert.deepStrictEqual(yield* two.disconnects.take(lineage, "a"), disconnect("a", start))
      assert.isUndefined(yield* one.disconnects.take(lineage, "a"))
      assert.deepStrictEqual(yield* two.disconnects.take(lineage), disconnect("c", start + 2))
      assert.deepStrictEqual(yield* one.disconnects.take(lineage), disconnect("b", start + 1))
      assert.isUndefined(yield* one.disconnects.take(lineage))
    }),
  )

  it.effect("concurrent takes return a record only once", () =>
    Effect.gen(function* () {
      const { disconnects } = yield* gateway({ now: () => start })
      const lineage = someLineage()
      yield* disconnects.record(lineage, disconnect("a", start))
      const taken = yield* Effect.all(
        Array.from({ length: 10 }, () => disconnects.take(lineage)),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        taken.filter((each) => each !== undefined),
        1,
      )
    }),
  )

  it.effect("are kept for ten minutes and up to a hundred per key", () =>
    Effect.gen(function* () {
      let now = start
      const { disconnects } = yield* gateway({ now: () => now })
      const lineage = someLineage()
      for (let i = 0; i < 130; i++) yield* disconnects.record(lineage, disconnect(`c${i}`, start + i))
      const redis = yield* Redis
      const { byTime, records } = keys(redis.prefix).disconnects(lineage)
      assert.deepStrictEqual(
        yield* redis.run((client) => Promise.all([client.zcard(byTime), client.hlen(records)])),
        [100, 100],
      )
      assert.isUndefined(yield* disconnects.take(lineage, "c29"))
      assert.isDefined(yield* disconnects.take(lineage, "c30"))
      now = start + 600_000 + 120
      assert.isUndefined(yield* disconnects.take(lineage, "c119"))
      assert.isDefined(yield* disconnects.take(lineage, "c120"))
      now += 10
      assert.isUndefined(yield* disconnects.take(lineage))
      for (const key of [byTime, records]) assert.isAtMost(yield* redis.run((client) => client.pttl(key)), 600_000)
    }),
  )

  it.effect("without Redis nothing is recorded and nothing fails", () =>
    Effect.gen(function* () {
      const { disconnects, proxy } = yield* gateway()
      proxy.become("refuse")
      yield* disconnects.record(someLineage(), disconnect("a", start))
      assert.isUndefined(yield* disconnects.take(someLineage()))
    }),
  )
})
