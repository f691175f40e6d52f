import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sharedPoll } from "#src/leaderboards/sharedPoll.ts"

const goodFor = Duration.millis(100)

it.effect("what was found is good for a while, and then looked up again", () =>
  Effect.gen(function* () {
    let version = 0
    const look = yield* sharedPoll(
      Effect.sync(() => ++version),
      goodFor,
    )
    assert.strictEqual(yield* look, 1)
    yield* TestClock.adjust("99 millis")
    assert.strictEqual(yield* look, 1)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* look, 2)
  }),
)

it.effect("those who ask meanwhile share it, also when one of them leaves", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<number>()
    let looks = 0
    const look = yield* sharedPoll(
      Effect.suspend(() => {
        looks += 1
        return Deferred.await(gate)
      }),
      goodFor,
    )
    const [first, second] = [
      yield* Effect.forkChild(look, { startImmediately: true }),
      yield* Effect.forkChild(look, { startImmediately: true }),
    ]
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, 7)
    assert.strictEqual(yield* Fiber.join(second), 7)
    assert.strictEqual(looks, 1)
  }),
)

it.effect("neither a failure nor that there is nothing yet is kept", () =>
  Effect.gen(function* () {
    const answers = [Effect.fail("away"), Effect.succeed(undefined), Effect.succeed(1)]
    const look = yield* sharedPoll(
      Effect.suspend(() => answers.shift() ?? Effect.succeed(2)),
      goodFor,
    )
    assert.strictEqual(yield* Effect.flip(look), "away")
    assert.isUndefined(yield* look)
    assert.strictEqual(yield* look, 1)
    assert.strictEqual(yield* look, 1)
  }),
)
