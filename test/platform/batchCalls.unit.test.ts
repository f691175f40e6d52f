import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { batchCalls } from "#src/platform/process/batchCalls.ts"

describe("batchCalls", () => {
  it.live("batches concurrent calls up to the maximum size and returns each its own result", () =>
    Effect.gen(function* () {
      const sizes: Array<number> = []
      const double = yield* batchCalls(
        (items: ReadonlyArray<number>) =>
          Effect.sync(() => {
            sizes.push(items.length)
            return items.map((n) => n * 2)
          }),
        { maxBatch: 10, concurrency: 2 },
      )
      const numbers = Array.from({ length: 25 }, (_, i) => i)
      const results = yield* Effect.forEach(numbers, double, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        results,
        numbers.map((n) => n * 2),
      )
      assert.deepStrictEqual(sizes, [10, 10, 5])
    }),
  )

  it.live("queues calls while it is busy, and drops interrupted ones", () =>
    Effect.gen(function* () {
      const served: Array<ReadonlyArray<string>> = []
      const gate = yield* Deferred.make<void>()
      const began = yield* Deferred.make<void>()
      const call = yield* batchCalls(
        (items: ReadonlyArray<string>) =>
          Effect.gen(function* () {
            served.push(items)
            yield* Deferred.succeed(began, undefined)
            yield* Deferred.await(gate)
            return items
          }),
        { maxBatch: 10, concurrency: 1 },
      )
      const first = yield* Effect.forkChild(call("first"), { startImmediately: true })
      yield* Deferred.await(began)
      const others = yield* Effect.forEach(["a", "b", "c"], (item) =>
        Effect.forkChild(call(item), { startImmediately: true }),
      )
      const [, second] = others
      assert(second !== undefined)
      yield* Fiber.interrupt(second)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(first)
      yield* Effect.forEach(others, Fiber.await)
      assert.deepStrictEqual(served, [["first"], ["a", "c"]])
    }),
  )

  it.live("fails every call of a failed batch, and dies on a wrong number of results", () =>
    Effect.gen(function* () {
      const failing = yield* batchCalls(() => Effect.fail("no"), { maxBatch: 10, concurrency: 1 })
      const exits = yield* Effect.forEach([1, 2], (n) => Effect.exit(failing(n)), { concurrency: 2 })
      assert.deepStrictEqual(exits, [Exit.fail("no"), Exit.fail("no")])
      const short = yield* batchCalls(() => Effect.succeed([]), { maxBatch: 10, concurrency: 1 })
      assert.isTrue(Exit.hasDies(yield* Effect.exit(short(1))))
    }),
  )
})
