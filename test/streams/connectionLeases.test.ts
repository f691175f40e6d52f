import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { gateway, loseRedis, someAccount } from "./support/gateway.ts"

const shortLease = { "ws.lease": "2s" }

/** Ids with a lease in Redis. */
const leased = (account: string, kind: string) =>
  Effect.gen(function* () {
    const redis = yield* Redis
    return yield* redis.run((client) => client.zrange(keys(redis.prefix).connections(account, kind), "0", "-1"))
  })

layer(testFoundation(), { excludeTestServices: true })("ConnectionLeases", (it) => {
  it.effect("concurrent claims on two gateways never exceed the cap, and a released lease can be claimed again", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* gateway(), yield* gateway()]
      const account = someAccount()
      const claims = yield* Effect.all(
        Array.from({ length: 60 }, (_, i) =>
          (i % 2 === 0 ? one : two).leases.claim(account, "events", `connection ${i}`, 10),
        ),
        { concurrency: "unbounded" },
      )
      const granted = claims.flatMap((claim, i) => (claim.granted ? [i] : []))
      assert.deepStrictEqual(
        claims
          .filter((claim) => claim.granted)
          .map(({ held }) => held)
          .sort((a, b) => a - b),
        Array.from({ length: 10 }, (_, i) => i + 1),
      )
      assert.isTrue(claims.filter((claim) => !claim.granted).every(({ held }) => held === 10))
      const [first = 0] = granted
      const holder = first % 2 === 0 ? one : two
      const other = first % 2 === 0 ? two : one
      assert.deepStrictEqual(yield* holder.leases.claim(account, "events", `connection ${first}`, 10), {
        granted: true,
        held: 10,
      })
      yield* holder.leases.release(account, "events", `connection ${first}`)
      assert.deepStrictEqual(yield* other.leases.claim(account, "events", "next", 10), { granted: true, held: 10 })
      assert.deepStrictEqual(yield* holder.leases.claim(account, "events", "one too many", 10), {
        granted: false,
        held: 10,
      })
    }),
  )

  it.effect("kinds and accounts are counted separately, with caps of zero, one and unlimited", () =>
    Effect.gen(function* () {
      const { leases } = yield* gateway()
      const account = someAccount()
      assert.deepStrictEqual(yield* leases.claim(account, "firehose", "a", 0), { granted: false, held: 0 })
      assert.deepStrictEqual(yield* leases.claim(account, "events", "a", 1), { granted: true, held: 1 })
      assert.deepStrictEqual(yield* leases.claim(account, "books", "a", 1), { granted: true, held: 1 })
      assert.deepStrictEqual(yield* leases.claim(someAccount(), "events", "a", 1), { granted: true, held: 1 })
      assert.deepStrictEqual(yield* leases.claim(account, "events", "b", 1), { granted: false, held: 1 })
      assert.deepStrictEqual(yield* leases.claim(account, "events", "b", null), { granted: true, held: 2 })
    }),
  )

  it.effect("a lease released before it was granted is not held", () =>
    Effect.gen(function* () {
      const { leases } = yield* gateway()
      const account = someAccount()
      // Loads the script, so that the next claim is a single command.
      yield* leases.claim(account, "books", "a", 1)
      yield* Effect.all([leases.claim(account, "events", "a", 1), leases.release(account, "events", "a")], {
        concurrency: "unbounded",
      })
      assert.deepStrictEqual(yield* leased(account, "events"), [])
      assert.deepStrictEqual(yield* leases.claim(account, "events", "b", 1), { granted: true, held: 1 })
    }),
  )

  it.effect("leases of a killed gateway expire, those of a live one are renewed", () =>
    Effect.gen(function* () {
      const [dead, alive] = [yield* gateway({ flags: shortLease }), yield* gateway({ flags: shortLease })]
      const account = someAccount()
      yield* dead.leases.claim(account, "events", "of the dead", 2)
      yield* alive.leases.claim(account, "events", "of the living", 2)
      assert.isFalse((yield* alive.leases.claim(account, "events", "next", 2)).granted)
      dead.proxy.become("refuse")
      const redis = yield* Redis
      const key = keys(redis.prefix).connections(account, "events")
      const endOfLease = redis.run(async (client) => Number(await client.zscore(key, "of the living")))
      const before = yield* endOfLease
      yield* eventually(
        "a lease is free again",
        Effect.map(alive.leases.claim(account, "events", "next", 2), ({ granted }) => granted),
      )
      yield* eventually(
        "only the live leases are left",
        Effect.map(leased(account, "events"), (ids) => [...ids].sort().join() === "next,of the living"),
      )
      yield* eventually(
        "the lease is renewed",
        Effect.map(endOfLease, (now) => now > before),
      )
    }),
  )

  it.effect("leases lost by Redis are restored", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* gateway({ flags: shortLease }), yield* gateway({ flags: shortLease })]
      const account = someAccount()
      yield* one.leases.claim(account, "events", "a", 2)
      yield* two.leases.claim(account, "events", "b", 2)
      yield* loseRedis
      yield* eventually(
        "both leases are restored",
        Effect.map(leased(account, "events"), (ids) => ids.length === 2),
      )
      assert.deepStrictEqual(yield* one.leases.claim(account, "events", "c", 2), { granted: false, held: 2 })
    }),
  )

  it.effect("without Redis a gateway counts its own leases, logs it once, and shares them afterwards", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* gateway(), yield* gateway()]
      const account = someAccount()
      yield* one.leases.claim(account, "events", "before", 2)
      yield* two.leases.claim(account, "events", "of the other", 2)
      one.proxy.become("refuse")
      assert.deepStrictEqual(yield* one.leases.claim(account, "events", "alone", 2), { granted: true, held: 2 })
      assert.deepStrictEqual(yield* one.leases.claim(account, "events", "too many", 2), { granted: false, held: 2 })
      yield* one.leases.release(account, "events", "before")
      assert.isTrue((yield* one.leases.claim(account, "events", "instead", 2)).granted)
      one.proxy.become("pass")
      yield* eventually(
        "the others see the leases",
        Effect.map(leased(account, "events"), (ids) => ids.includes("alone") && ids.includes("instead")),
      )
      assert.isFalse((yield* two.leases.claim(account, "events", "more", 2)).granted)
      yield* eventually(
        "the recovery is logged",
        Effect.sync(() => one.logged.includes("connections are counted across all gateways again")),
      )
      assert.strictEqual(
        one.logged.filter((line) => line.startsWith("each gateway counts only its own conn")).length,
        1,
      )
    }),
  )

  it.effect("a gateway releases its leases on shutdown", () =>
    Effect.gen(function* () {
      const account = someAccount()
      yield* Effect.scoped(Effect.flatMap(gateway(), ({ leases }) => leases.claim(account, "books", "a", 1)))
      assert.deepStrictEqual(yield* leased(account, "books"), [])
    }),
  )
})
