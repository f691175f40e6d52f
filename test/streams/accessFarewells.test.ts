import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import type { Farewell } from "#src/streams/access/Farewells.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { gateway, someLineage } from "./accessSupport.ts"

const start = Date.UTC(2031, 4, 7)

const farewell = (id: string, at: number): Farewell => ({
  subscriber_id: id,
  code: 4008,
  reason: "read too slowly",
  at,
  from_seq: 17,
  to_seq: 23,
})

layer(testFoundation(), { excludeTestServices: true })("Farewells", (it) => {
  it.effect("are told once, by another gateway too: the one that is named, otherwise the newest of the key", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* gateway({ now: () => start }), yield* gateway({ now: () => start })]
      const lineage = someLineage()
      for (const [i, id] of ["a", "b", "c"].entries()) yield* one.farewells.remember(lineage, farewell(id, start + i))
      assert.isUndefined(yield* two.farewells.recall(someLineage(), "a"))
      assert.isUndefined(yield* two.farewells.recall(someLineage()))
      assert.deepStrictEqual(yield* two.farewells.recall(lineage, "a"), farewell("a", start))
      assert.isUndefined(yield* one.farewells.recall(lineage, "a"))
      assert.deepStrictEqual(yield* two.farewells.recall(lineage), farewell("c", start + 2))
      assert.deepStrictEqual(yield* one.farewells.recall(lineage), farewell("b", start + 1))
      assert.isUndefined(yield* one.farewells.recall(lineage))
    }),
  )

  it.effect("two who ask at once do not hear the same", () =>
    Effect.gen(function* () {
      const { farewells } = yield* gateway({ now: () => start })
      const lineage = someLineage()
      yield* farewells.remember(lineage, farewell("a", start))
      const heard = yield* Effect.all(
        Array.from({ length: 10 }, () => farewells.recall(lineage)),
        { concurrency: "unbounded" },
      )
      assert.lengthOf(
        heard.filter((each) => each !== undefined),
        1,
      )
    }),
  )

  it.effect("are kept ten minutes, and a hundred of a key", () =>
    Effect.gen(function* () {
      let now = start
      const { farewells } = yield* gateway({ now: () => now })
      const lineage = someLineage()
      for (let i = 0; i < 130; i++) yield* farewells.remember(lineage, farewell(`c${i}`, start + i))
      const redis = yield* Redis
      const { order, words } = keys(redis.prefix).farewells(lineage)
      assert.deepStrictEqual(
        yield* redis.run((client) => Promise.all([client.zcard(order), client.hlen(words)])),
        [100, 100],
      )
      assert.isUndefined(yield* farewells.recall(lineage, "c29"))
      assert.isDefined(yield* farewells.recall(lineage, "c30"))
      now = start + 600_000 + 120
      assert.isUndefined(yield* farewells.recall(lineage, "c119"))
      assert.isDefined(yield* farewells.recall(lineage, "c120"))
      now += 10
      assert.isUndefined(yield* farewells.recall(lineage))
      for (const key of [order, words]) assert.isAtMost(yield* redis.run((client) => client.pttl(key)), 600_000)
    }),
  )

  it.effect("without Redis there is nothing to tell, and nothing fails", () =>
    Effect.gen(function* () {
      const { farewells, proxy } = yield* gateway()
      proxy.become("refuse")
      yield* farewells.remember(someLineage(), farewell("a", start))
      assert.isUndefined(yield* farewells.recall(someLineage()))
    }),
  )
})
