import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { sharedPoll } from "#src/leaderboards/sharedPoll.ts"

const reuseFor = Duration.millis(100)

it.effect("sharedPoll reuses its result for a while and then polls again", () =>
  Effect.gen(function* () {
    let version = 0
    const poll = yield* sharedPoll(
      Effect.sync(() => ++version),
      reuseFor,
    )
    assert.strictEqual(yield* poll, 1)
    yield* TestClock.adjust("99 millis")
    assert.strictEqual(yield* poll, 1)
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* poll, 2)
  }),
)

it.effect("concurrent callers share one poll, also when one of them leaves", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<number>()
    let polls = 0
    const poll = yield* sharedPoll(
      Effect.suspend(() => {
        polls += 1
        return Deferred.await(gate)
      }),
      reuseFor,
    )
    const [first, second] = [
      yield* Effect.forkChild(poll, { startImmediately: true }),
      yield* Effect.forkChild(poll, { startImmediately: true }),
    ]
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(gate, 7)
    assert.strictEqual(yield* Fiber.join(second), 7)
    assert.strictEqual(polls, 1)
  }),
)

it.effect("neither a failure nor an empty result is reused", () =>
  Effect.gen(function* () {
    const answers = [Effect.fail("unavailable"), Effect.succeed(undefined), Effect.succeed(1)]
    const poll = yield* sharedPoll(
      Effect.suspend(() => answers.shift() ?? Effect.succeed(2)),
      reuseFor,
    )
    assert.strictEqual(yield* Effect.flip(poll), "unavailable")
    assert.isUndefined(yield* poll)
    assert.strictEqual(yield* poll, 1)
    assert.strictEqual(yield* poll, 1)
  }),
)
