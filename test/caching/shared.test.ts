import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { cacheStores, distantCache, numbered, outcome, shown } from "./support.ts"

const lifetime = { freshFor: 10_000, staleFor: 30_000 }

layer(cacheStores, { excludeTestServices: true })("Caches of several processes", (it) => {
  it.effect("load an expired answer once for all", () =>
    Effect.gen(function* () {
      const processes = yield* Effect.all(Array.from({ length: 4 }, () => distantCache()))
      const source = numbered()
      const load = Effect.delay(source.load, "30 millis")
      const entry = { name: "once", key: "", ...lifetime, load }
      for (let round = 1; round <= 4; round++) {
        const asked = processes.flatMap(({ cache }) => Array.from({ length: 20 }, () => cache.get(entry)))
        const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
        assert.deepStrictEqual([...new Set(answers.map(shown))], [round])
        assert.strictEqual(source.loads, round)
        for (const { time } of processes) time.now += 10_000
      }
    }),
  )

  it.effect("do not wait long for a process that died while loading", () =>
    Effect.gen(function* () {
      const redis = yield* Redis
      const { cache } = yield* distantCache()
      const { lease } = keys(redis.prefix).answer("died", "")
      yield* redis.run((client) => client.set(lease, "a process that is no more", "PX", 600_000))
      const source = numbered()
      const entry = { name: "died", key: "", ...lifetime, load: source.load }
      assert.deepStrictEqual(yield* outcome(cache, entry), ["load", 1])
      // It must not release another process's lease.
      assert.strictEqual(yield* redis.run((client) => client.exists(lease)), 1)
      const { cache: other } = yield* distantCache()
      yield* eventually(
        "the others have what it made",
        Effect.map(other.get(entry), ({ from }) => from === "cache"),
      )
    }),
  )

  it.effect("take over at once when the loading process fails", () =>
    Effect.gen(function* () {
      const [near, far] = [yield* distantCache(), yield* distantCache()]
      const [started, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const failing = Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.andThen(Effect.fail("down")),
      )
      const entry = { name: "over", key: "", ...lifetime }
      const first = yield* Effect.forkChild(outcome(near.cache, { ...entry, load: failing }))
      yield* Deferred.await(started)
      const second = yield* Effect.forkChild(outcome(far.cache, { ...entry, load: numbered().load }), {
        startImmediately: true,
      })
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(first), ["failed", "down"])
      assert.deepStrictEqual(yield* Fiber.join(second), ["load", 1])
    }),
  )

  it.effect("a new process serves the older answer of the others when the source is down", () =>
    Effect.gen(function* () {
      const redis = yield* Redis
      const [near, far] = [yield* distantCache(), yield* distantCache()]
      const source = numbered()
      const entry = { name: "heir", key: "", ...lifetime, load: source.load }
      yield* near.cache.get(entry)
      const { stored } = keys(redis.prefix).answer("heir", "")
      yield* eventually(
        "it is in Redis",
        Effect.map(
          redis.run((client) => client.exists(stored)),
          (found) => found === 1,
        ),
      )
      source.manner = "down"
      far.time.now += 10_000
      assert.deepStrictEqual(yield* outcome(far.cache, entry), ["stale", 1])
      assert.deepStrictEqual(yield* outcome(far.cache, entry), ["stale", 1])
      assert.strictEqual(source.loads, 2)
      far.time.now += 30_000
      assert.deepStrictEqual(yield* outcome(far.cache, entry), ["failed", "down"])
    }),
  )

  it.effect("a process frozen while loading does not overwrite a newer answer", () =>
    Effect.gen(function* () {
      const redis = yield* Redis
      const [near, far, third] = [yield* distantCache(), yield* distantCache(), yield* distantCache()]
      const { stored, lease } = keys(redis.prefix).answer("frozen", "")
      const [started, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Deferred.succeed(started, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.as({ value: "old" }),
      )
      const entry = { name: "frozen", key: "", ...lifetime }
      const frozen = yield* Effect.forkChild(near.cache.get({ ...entry, load: slow }))
      yield* Deferred.await(started)
      yield* redis.run((client) => client.del(lease))
      far.time.now += 1
      third.time.now += 1
      yield* far.cache.get({ ...entry, load: Effect.succeed({ value: "new" }) })
      const kept = Effect.map(
        redis.run((client) => client.get(stored)),
        (text) => text?.split("\n")[1],
      )
      yield* eventually(
        "the newer one is in Redis",
        Effect.map(kept, (text) => text === '"new"'),
      )
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(frozen)
      // A second answer of the frozen process follows on the same connection.
      yield* near.cache.get({ ...entry, key: "after", load: Effect.succeed({ value: 1 }) })
      const after = keys(redis.prefix).answer("frozen", "after").stored
      yield* eventually(
        "both have gone out",
        Effect.map(
          redis.run((client) => client.exists(after)),
          (found) => found === 1,
        ),
      )
      assert.strictEqual(yield* kept, '"new"')
      assert.strictEqual(shown(yield* third.cache.get({ ...entry, load: Effect.die("not needed") })), "new")
    }),
  )

  it.effect("work alone while Redis is unavailable, and together again afterwards", () =>
    Effect.gen(function* () {
      const near = yield* distantCache()
      const { cache, time, proxy, said } = yield* distantCache()
      const source = numbered()
      const entry = (key: string) => ({ name: "away", key, ...lifetime, load: source.load })
      yield* cache.get(entry("a"))
      proxy.become("refuse")
      time.now += 10_000
      yield* eventually(
        "the outage is noticed",
        Effect.map(outcome(cache, entry("a")), ([from, value]) => from === "cache" && value === 2),
      )
      assert.deepStrictEqual(yield* outcome(cache, entry("b")), ["load", 3])
      proxy.become("pass")
      yield* eventually(
        "the outage is over",
        Effect.sync(() => said.some((line) => line.includes("shared over Redis again"))),
      )
      assert.deepStrictEqual(yield* outcome(cache, entry("c")), ["load", 4])
      yield* eventually(
        "the other process has it",
        Effect.map(outcome(near.cache, entry("c")), ([from]) => from === "cache"),
      )
      assert.deepStrictEqual(
        said.filter((line) => /cache/.test(line)).map((line) => line.replace(/(:| Cause).*/, "")),
        ["each process caches answers for itself until Redis is back", "cached answers are shared over Redis again"],
      )
    }),
  )

  it.effect("an unreadable value in Redis is loaded again", () =>
    Effect.gen(function* () {
      const redis = yield* Redis
      const { cache } = yield* distantCache()
      const { stored } = keys(redis.prefix).answer("garbage", "")
      yield* redis.run((client) => client.set(stored, "nothing of ours"))
      const entry = { name: "garbage", key: "", ...lifetime, load: numbered().load }
      assert.deepStrictEqual(yield* outcome(cache, entry), ["load", 1])
      yield* eventually(
        "it is replaced",
        Effect.map(
          redis.run((client) => client.get(stored)),
          (text) => text?.endsWith("\n1") === true,
        ),
      )
    }),
  )
})
