import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch } from "effect"
import { cachedFor } from "#src/platform/process/sharedWork.ts"

describe("Shared work", () => {
  it.effect("a caller who leaves ends it neither for those who wait nor for those who come", () =>
    Effect.gen(function* () {
      const gate = yield* Latch.make()
      let runs = 0
      const work = Effect.sync(() => ++runs).pipe(Effect.tap(() => gate.await))
      const cached = yield* cachedFor(work, "1 minute")
      const first = yield* Effect.forkChild(cached, { startImmediately: true })
      const second = yield* Effect.forkChild(cached, { startImmediately: true })
      yield* Fiber.interrupt(first)
      const third = yield* Effect.forkChild(cached, { startImmediately: true })
      yield* gate.open
      assert.deepStrictEqual([yield* Fiber.join(second), yield* Fiber.join(third), yield* cached], [1, 1, 1])
    }).pipe(Effect.scoped),
  )
})
