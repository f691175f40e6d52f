import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { type Buckets, decisionsOf } from "#src/limits/model.ts"
import { takeFromWindows } from "#src/limits/slidingWindow.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/redis/Redis.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { Reference } from "./reference.ts"
import { positions, type Step, traces } from "./traces.ts"

const soak = process.env.PRESAGE_SOAK === "1"
const start = 1_794_700_800_123_456

layer(testFoundation(), { excludeTestServices: true })("Sliding windows in Redis", (it) => {
  let asked = 0

  const prepare = Effect.map(Redis, ({ commands, prefix }) => {
    const keysOf = (owner: string, buckets: Buckets) =>
      buckets.map(({ name, windowMillis }) => keys(prefix).limit(owner, name, windowMillis))
    /** The decision of Redis on every request of the steps. */
    const answers = async (steps: ReadonlyArray<Step>, salt: string) => {
      const calls = steps.map(({ owner, buckets, count, at }) => ({
        keys: keysOf(salt + owner, buckets),
        buckets,
        count,
        at,
      }))
      const outcomes = await takeFromWindows(commands, calls)
      return steps.map((step, i) => {
        const outcome = outcomes[i]
        if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("no answer")
        return positions(step).map(decisionsOf(step.buckets, outcome))
      })
    }
    return { commands, keysOf, answers }
  })

  it.effect(
    "decide like a plain list of times, over random traces",
    () =>
      Effect.gen(function* () {
        const { answers } = yield* prepare
        const agrees = fc.asyncProperty(traces({ clock: "set back at times" }), async (steps) => {
          const got = await answers(steps, `${++asked}:`)
          const reference = new Reference()
          const wanted = steps.map((step) =>
            positions(step).map(() => reference.take(step.owner, step.buckets, step.at)),
          )
          assert.deepStrictEqual(got, wanted)
        })
        yield* Effect.promise(() => fc.assert(agrees, { numRuns: soak ? 10_000 : 80 }))
      }),
    600_000,
  )

  it.effect("a ring that grows, wraps and shrinks keeps its count, at 8 bytes per entry", () =>
    Effect.gen(function* () {
      const { answers, commands, keysOf } = yield* prepare
      const standard = (limit: number): Buckets => [{ name: "standard", limit, windowMillis: 60_000 }]
      const steps = Array.from({ length: 210 }, (_, second): Step => {
        const limit = second < 100 ? 600 : second < 140 ? 250 : 400
        return { owner: "ring", buckets: standard(limit), count: 23, at: start + second * 1_000_000 }
      })
      const reference = new Reference()
      const wanted = steps.map((step) => positions(step).map(() => reference.take(step.owner, step.buckets, step.at)))
      assert.deepStrictEqual(yield* Effect.promise(() => answers(steps, "")), wanted)
      const [full = ""] = keysOf("full", standard(4000))
      const call = { keys: [full], buckets: standard(4000), count: 100 }
      const calls = Array.from({ length: 41 }, (_, i) => ({ ...call, at: start + i }))
      assert.deepInclude((yield* Effect.promise(() => takeFromWindows(commands, calls))).at(-1), { admitted: 0 })
      // A sorted set would take 470 kB.
      assert.isBelow((yield* Effect.promise(() => commands.memory("USAGE", full))) ?? 0, 42_000)
    }),
  )

  it.effect("idle owners expire, and their past usage does not count", () =>
    Effect.gen(function* () {
      const { commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "social", limit: 1, windowMillis: 50 }]
      const key = keysOf("idle", buckets)
      const take = Effect.promise(() => takeFromWindows(commands, [{ keys: key, buckets, count: 2 }]))
      assert.deepInclude((yield* take)[0], { admitted: 1 })
      yield* eventually(
        "the key is gone",
        Effect.promise(async () => (await commands.exists(...key)) === 0),
      )
      assert.deepInclude((yield* take)[0], { admitted: 1 })
    }),
  )

  it.effect("a window in use does not expire", () =>
    Effect.gen(function* () {
      const { commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "standard", limit: 100, windowMillis: 60_000 }]
      const [key = ""] = keysOf("busy", buckets)
      let left = 0
      for (let seconds = 0; seconds < 400; seconds += 45) {
        // Simulates the passage of these seconds in Redis.
        if (seconds > 0) yield* Effect.promise(() => commands.pexpire(key, left - 45_000))
        const at = start + seconds * 1_000_000
        yield* Effect.promise(() => takeFromWindows(commands, [{ keys: [key], buckets, count: 1, at }]))
        left = yield* Effect.promise(() => commands.pttl(key))
        assert.isAbove(left, 60_000)
      }
    }),
  )

  it.effect("all buckets of an owner share one Redis cluster slot, and owners are spread over slots", () =>
    Effect.gen(function* () {
      const { prefix } = yield* Redis
      const tag = (key: string) => /\{([^}]*)\}/.exec(key)?.[1]
      const { limit } = keys(prefix)
      assert.strictEqual(tag(limit("account:1", "standard", 60_000)), "account:1")
      assert.strictEqual(tag(limit("account:1", "heavy", 60_000)), "account:1")
      assert.strictEqual(tag(limit("account:2", "heavy", 60_000)), "account:2")
    }),
  )

  it.effect("a custom time is refused outside of tests", () =>
    Effect.gen(function* () {
      const { commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "social", limit: 1, windowMillis: 1000 }]
      const call = { keys: keysOf("clock", buckets), buckets, count: 1, at: 1 }
      const { VITEST } = process.env
      delete process.env.VITEST
      const refused = yield* Effect.promise(() =>
        takeFromWindows(commands, [call]).catch((error: Error) => error.message),
      )
      process.env.VITEST = VITEST
      assert.strictEqual(refused, "only tests may set the time")
      assert.strictEqual(yield* Effect.promise(() => commands.exists(...call.keys)), 0)
    }),
  )
})
