import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { cachedBriefly } from "#src/platform/process/cachedBriefly.ts"
import { clockShowing } from "#test/support/clockShowing.ts"

describe("cachedBriefly", () => {
  it.effect("keeps a result for its time only, and no failure", () =>
    Effect.gen(function* () {
      let runs = 0
      const work = Effect.suspend(() => (++runs === 3 ? Effect.fail("third") : Effect.succeed(runs)))
      const cached = yield* cachedBriefly(work, "1 second")
      assert.deepStrictEqual([yield* cached, yield* cached], [1, 1])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([yield* cached, yield* cached], [2, 2])
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(cached)))
      assert.deepStrictEqual([yield* cached, yield* cached], [4, 4])
    }),
  )

  it.effect("a clock that was a day ahead for a moment does not freeze it", () =>
    Effect.gen(function* () {
      const steady = yield* Clock.Clock
      let ahead = 86_400_000
      const jumping = clockShowing(() => steady.currentTimeMillisUnsafe() + ahead, steady)
      let runs = 0
      const cached = yield* cachedBriefly(
        Effect.sync(() => ++runs),
        "1 second",
      ).pipe(Effect.provideService(Clock.Clock, jumping))
      const read = Effect.provideService(cached, Clock.Clock, jumping)
      assert.strictEqual(yield* read, 1)
      ahead = 0
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* read, 2)
    }),
  )

  it.effect("a caller who leaves ends the work neither for those who wait nor for those who come", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      let runs = 0
      const work = Effect.sync(() => ++runs).pipe(Effect.tap(() => gate.await))
      const cached = yield* cachedBriefly(work, "1 minute")
      const first = yield* Effect.forkChild(cached, { startImmediately: true })
      const second = yield* Effect.forkChild(cached, { startImmediately: true })
      yield* Fiber.interrupt(first)
      const third = yield* Effect.forkChild(cached, { startImmediately: true })
      yield* gate.open
      assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third), yield* cached], [1, 1, 1])
    }),
  )
})
