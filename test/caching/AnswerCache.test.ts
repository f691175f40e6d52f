import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { eventually } from "#test/support/eventually.ts"
import { nextBoundary } from "#test/support/nextBoundary.ts"
import { cacheStores, distantCache, movableClock, numbered, outcome, shown } from "./support.ts"

const lifetime = { freshFor: 10_000, staleFor: 30_000 }

layer(cacheStores, { excludeTestServices: true })("AnswerCache", (it) => {
  it.effect("concurrent requests share one load, which continues when one of them is cancelled", () =>
    Effect.gen(function* () {
      const { cache } = yield* distantCache()
      const [started, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let loads = 0
      const load = Effect.gen(function* () {
        loads += 1
        yield* Deferred.succeed(started, undefined)
        yield* Deferred.await(gate)
        return { value: loads }
      })
      const entry = { name: "many", key: "", ...lifetime, load }
      const impatient = yield* Effect.forkChild(cache.get(entry))
      yield* Deferred.await(started)
      const asked = Effect.all(
        Array.from({ length: 500 }, () => cache.get(entry)),
        { concurrency: "unbounded" },
      )
      const others = yield* Effect.forkChild(asked, { startImmediately: true })
      yield* Fiber.interrupt(impatient)
      yield* Deferred.succeed(gate, undefined)
      const answers = yield* Fiber.join(others)
      assert.isTrue(answers.every((cached) => shown(cached) === 1 && cached.from === "load"))
      assert.strictEqual((yield* cache.get(entry)).from, "cache")
      assert.strictEqual(loads, 1)
    }),
  )

  it.effect("an answer with a cached flag has it set for requests that did not wait for the load", () =>
    Effect.gen(function* () {
      const [{ cache }, { cache: far }] = [yield* distantCache(), yield* distantCache()]
      const load = Effect.succeed({ value: { cached: false }, whenCached: { cached: true }, dataAt: 5 })
      const entry = { name: "says", key: "", ...lifetime, load }
      const [first, second] = [yield* cache.get(entry), yield* cache.get(entry)]
      yield* eventually(
        "the other process has it",
        Effect.map(far.get(entry), ({ from }) => from === "cache"),
      )
      const third = yield* far.get(entry)
      assert.deepStrictEqual([first, second, third].map(shown), [{ cached: false }, { cached: true }, { cached: true }])
      assert.notStrictEqual(first.answer.tag, second.answer.tag)
      assert.strictEqual(third.answer.times.dataAt, 5)
    }),
  )

  it.effect("a local answer is loaded by each process that needs it", () =>
    Effect.gen(function* () {
      const [{ cache }, { cache: far }] = [yield* distantCache(), yield* distantCache()]
      let loads = 0
      const load = Effect.sync(() => ({ value: ++loads }))
      const entry = { name: "local", key: "", ...lifetime, isLocal: true, load }
      assert.strictEqual(shown(yield* cache.get(entry)), 1)
      assert.strictEqual(shown(yield* far.get(entry)), 2)
      assert.strictEqual(shown(yield* cache.get(entry)), 1)
    }),
  )

  it.effect("an answer loaded across the end of its window is loaded again", () =>
    Effect.gen(function* () {
      const { cache, time } = yield* distantCache()
      const boundary = nextBoundary(300_000)(time.now)
      time.now = boundary - 10
      const seen: Array<number> = []
      const load = Effect.sync(() => {
        seen.push(time.now)
        time.now += 20
        return { value: seen.length }
      })
      const entry = { name: "across", key: "", ...lifetime, until: nextBoundary(300_000), load }
      const cached = yield* cache.get(entry)
      assert.deepStrictEqual([shown(cached), cached.from], [2, "load"])
      assert.deepStrictEqual(seen, [boundary - 10, boundary + 10])
      assert.isTrue(cached.answer.isFresh(time.now))
    }),
  )

  it.effect("an answer that ended during its load is loaded again", () =>
    Effect.gen(function* () {
      const { cache, time } = yield* distantCache()
      const ends = [time.now + 10, time.now + 1_000]
      let loads = 0
      const load = Effect.sync(() => {
        time.now += 20
        return { value: ++loads, until: ends[loads - 1] }
      })
      const cached = yield* cache.get({ name: "itself", key: "", ...lifetime, load })
      assert.deepStrictEqual([shown(cached), cached.answer.times.freshUntil], [2, ends[1]])
    }),
  )

  it.effect("a popular answer is refreshed before it expires, while requests are answered from the cache", () =>
    Effect.gen(function* () {
      const { cache, time } = yield* distantCache()
      const source = numbered()
      const entry = { name: "often", key: "", ...lifetime, load: source.load }
      for (let i = 0; i < 10; i++) yield* cache.get(entry)
      time.now += 9500
      assert.deepStrictEqual(yield* outcome(cache, entry), ["cache", 1])
      yield* eventually(
        "a newer one is there before the end",
        Effect.map(cache.get(entry), (cached) => shown(cached) === 2),
      )
      assert.strictEqual(source.loads, 2)
      time.now += 9000
      assert.deepStrictEqual(yield* outcome(cache, entry), ["cache", 2])
    }),
  )

  it.effect("a hanging source delays requests with an older answer briefly, and fails those without", () =>
    Effect.gen(function* () {
      const { cache, time } = yield* distantCache()
      const source = numbered()
      const entry = { name: "hangs", key: "", ...lifetime, budget: 1500, load: source.load }
      yield* cache.get(entry)
      time.now += 10_000
      const hung = { ...entry, load: Effect.never }
      assert.deepStrictEqual(yield* outcome(cache, hung), ["stale", 1])
      const [what, failure] = yield* outcome(cache, { ...hung, key: "other" })
      assert.strictEqual(what, "failed")
      assert.include(String(failure), "hangs was not ready after 1500 ms")
      // The first load has failed too by now; moving the clock ends the pause after it.
      yield* eventually(
        "it is tried again",
        Effect.sync(() => {
          time.now += 1000
          return source.loads
        }).pipe(
          Effect.andThen(outcome(cache, entry)),
          Effect.map(([from]) => from === "load"),
        ),
      )
    }),
  )

  it.effect("a defect is handled like a failure: the older answer is served and the defect is logged", () =>
    Effect.gen(function* () {
      const { cache, time, said } = yield* distantCache()
      const entry = { name: "defect", key: "", ...lifetime, load: numbered().load }
      yield* cache.get(entry)
      time.now += 10_000
      const broken = { ...entry, load: Effect.die(new Error("a bug")) }
      assert.deepStrictEqual(yield* outcome(cache, broken), ["stale", 1])
      assert.deepStrictEqual(yield* outcome(cache, broken), ["stale", 1])
      assert.strictEqual(said.filter((line) => line.includes("a bug")).length, 1)
      const exit = yield* Effect.exit(cache.get({ ...broken, key: "other" }))
      assert.isTrue(exit._tag === "Failure" && String(exit.cause).includes("a bug"))
    }),
  )

  it.effect("without memory every answer comes from Redis", () =>
    Effect.gen(function* () {
      const { cache } = yield* distantCache({ "caching.memory": "0" })
      const source = numbered()
      const entry = { name: "thin", key: "", ...lifetime, load: source.load }
      assert.deepStrictEqual(yield* outcome(cache, entry), ["load", 1])
      yield* eventually(
        "it is in Redis",
        Effect.map(outcome(cache, entry), ([from]) => from === "cache"),
      )
      assert.isAtMost(source.loads, 2)
    }),
  )

  it.effect("a clock set back extends no lifetime", () =>
    Effect.gen(function* () {
      const clock = movableClock()
      const { cache, time } = yield* distantCache({ "caching.shared": "off" }, clock)
      const source = numbered()
      const entry = { name: "back", key: "", ...lifetime, load: source.load }
      yield* cache.get(entry)
      time.now -= 3_600_000
      assert.deepStrictEqual(yield* outcome(cache, entry), ["load", 2])
    }),
  )
})
