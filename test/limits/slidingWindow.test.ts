import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { askWindows } from "#src/limits/slidingWindow.ts"
import { admissionsOf, type Buckets } from "#src/limits/verdict.ts"
import { keys } from "#src/mesh/Keys.ts"
import { Redis } from "#src/platform/Redis.ts"
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
    /** Every request of the steps, as Redis answers it. */
    const answers = async (steps: ReadonlyArray<Step>, salt: string) => {
      const calls = steps.map(({ owner, buckets, count, at }) => ({
        keys: keysOf(salt + owner, buckets),
        buckets,
        count,
        at,
      }))
      const outcomes = await askWindows(commands, calls)
      return steps.map((step, i) => {
        const outcome = outcomes[i]
        if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("no answer")
        return positions(step).map(admissionsOf(step.buckets, outcome))
      })
    }
    return { commands, keysOf, answers }
  })

  it.effect("answer as a plain list of times does, over random traces", () =>
    Effect.gen(function* () {
      const { answers } = yield* prepare
      const agrees = fc.asyncProperty(traces({ clock: "set back at times" }), async (steps) => {
        const got = await answers(steps, `${++asked}:`)
        const reference = new Reference()
        const wanted = steps.map((step) => positions(step).map(() => reference.take(step.owner, step.buckets, step.at)))
        assert.deepStrictEqual(got, wanted)
      })
      yield* Effect.promise(() => fc.assert(agrees, { numRuns: soak ? 10_000 : 500 }))
    }),
  )

  it.effect("a plan's whole window: as many as the limit, also where the ring is large and wraps", () =>
    Effect.gen(function* () {
      const { answers, commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "standard", limit: 4000, windowMillis: 60_000 }]
      const step = (seconds: number, count: number): Step => ({
        owner: "whole",
        buckets,
        count,
        at: start + seconds * 1_000_000,
      })
      const steps = Array.from({ length: 200 }, (_, i) => step(i, 137))
      const reference = new Reference()
      const wanted = steps.map((each) =>
        positions(each).map(() => reference.take(each.owner, each.buckets, each.at).admitted),
      )
      const got = (yield* Effect.promise(() => answers(steps, ""))).map((each) => each.map(({ admitted }) => admitted))
      assert.deepStrictEqual(got, wanted)
      const [key = ""] = keysOf("whole", buckets)
      // 8 bytes a place and little else: a sorted set takes 470 kB for this.
      assert.isBelow((yield* Effect.promise(() => commands.memory("USAGE", key))) ?? 0, 42_000)
    }),
  )

  it.effect("idle owners vanish, and what they used does not count against them", () =>
    Effect.gen(function* () {
      const { commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "social", limit: 1, windowMillis: 50 }]
      const key = keysOf("idle", buckets)
      const [first, second] = yield* Effect.promise(() =>
        askWindows(commands, [
          { keys: key, buckets, count: 1 },
          { keys: key, buckets, count: 1, at: start },
        ]),
      )
      assert.deepInclude(first, { admitted: 1 })
      assert.isNotNull(second)
      yield* eventually(
        "the key is gone",
        Effect.promise(async () => (await commands.exists(...key)) === 0),
      )
      const [later] = yield* Effect.promise(() => askWindows(commands, [{ keys: key, buckets, count: 2 }]))
      assert.deepInclude(later, { admitted: 1 })
    }),
  )

  it.effect("a window that is in use never expires under its owner", () =>
    Effect.gen(function* () {
      const { commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "standard", limit: 100, windowMillis: 60_000 }]
      const key = keysOf("busy", buckets)
      // Each is just before a new date for the end is needed, and must still cover its own window.
      for (const at of [start, start + 59_999_999, start + 119_999_998]) {
        yield* Effect.promise(() => askWindows(commands, [{ keys: key, buckets, count: 1, at }]))
        const left = yield* Effect.promise(() => commands.pttl(key[0] ?? ""))
        assert.isAbove(left, 60_000)
      }
    }),
  )

  it.effect("all buckets of an owner lie in one slot of a Redis cluster, other owners elsewhere", () =>
    Effect.gen(function* () {
      const { prefix } = yield* Redis
      const tag = (key: string) => /\{([^}]*)\}/.exec(key)?.[1]
      const { limit } = keys(prefix)
      assert.strictEqual(tag(limit("account:1", "standard", 60_000)), "account:1")
      assert.strictEqual(tag(limit("account:1", "heavy", 60_000)), "account:1")
    }),
  )

  it.effect("a time of one's own is refused outside of tests", () =>
    Effect.gen(function* () {
      const { commands, keysOf } = yield* prepare
      const buckets: Buckets = [{ name: "social", limit: 1, windowMillis: 1000 }]
      const call = { keys: keysOf("clock", buckets), buckets, count: 1, at: 1 }
      const { VITEST } = process.env
      delete process.env.VITEST
      const refused = yield* Effect.promise(() => askWindows(commands, [call]).catch((error: Error) => error.message))
      process.env.VITEST = VITEST
      assert.strictEqual(refused, "the time is set by tests only")
      assert.strictEqual(yield* Effect.promise(() => commands.exists(...call.keys)), 0)
    }),
  )
})
