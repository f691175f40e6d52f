import { assert, describe, it } from "@effect/vitest"
import { UnrecoverableError } from "bullmq"
import { Duration, Exit, Option } from "effect"
import fc from "fast-check"
import { Permanent, Postponed, Retryable } from "#src/mesh/Job.ts"
import { outcomeOf, waitBefore } from "#src/mesh/jobOutcome.ts"

const circumstances = { stop: undefined, budget: Duration.seconds(30), isTick: false } as const

describe("The outcome of a job run", () => {
  it("is done only when the handler ran to its end", () => {
    assert.deepStrictEqual(outcomeOf(Exit.succeed(true), circumstances), { status: "done" })
    assert.deepStrictEqual(outcomeOf(Exit.succeed(false), { ...circumstances, isTick: true }), { status: "overlapped" })
    assert.deepStrictEqual(outcomeOf(Exit.succeed(false), circumstances), {
      status: "overlapped",
      postponed: Option.none(),
    })
  })

  it("is done when the run finished although it was interrupted", () => {
    assert.strictEqual(outcomeOf(Exit.succeed(true), { ...circumstances, stop: "handed back" }).status, "done")
  })

  it("maps each kind of failure to its own status", () => {
    assert.instanceOf(outcomeOf(Exit.fail(new Permanent({ reason: "no" })), circumstances).error, UnrecoverableError)
    assert.strictEqual(outcomeOf(Exit.fail(new Retryable({ reason: "busy" })), circumstances).error?.message, "busy")
    assert.strictEqual(outcomeOf(Exit.die(new Error("bug")), circumstances).status, "defect")
    assert.deepStrictEqual(outcomeOf(Exit.interrupt(), { ...circumstances, stop: "handed back" }), {
      status: "handed_back",
    })
    assert.strictEqual(outcomeOf(Exit.interrupt(), { ...circumstances, stop: "lock lost" }).status, "cancelled")
    const late = outcomeOf(Exit.fail(new Permanent({ reason: "no" })), { ...circumstances, stop: "budget" })
    assert.strictEqual(late.status, "failed")
    assert.match(
      outcomeOf(Exit.interrupt(), { ...circumstances, stop: "budget" }).error?.message ?? "",
      /budget of 30s/,
    )
  })

  it("postpones a job that is not due for as long as it asks, without an error", () => {
    const after = Duration.millis(7)
    assert.deepStrictEqual(outcomeOf(Exit.fail(new Postponed({ after })), circumstances), {
      status: "postponed",
      postponed: Option.some(after),
    })
  })

  it("follows the schedule and repeats its last entry, unless the failure requests a delay", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1e6), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        (millis, attempt) => {
          const schedule = millis.map((each) => Duration.millis(each))
          const expected = millis[attempt - 1] ?? millis.at(-1)
          assert.strictEqual(Duration.toMillis(waitBefore(schedule, attempt, new Error("any"))), expected)
          const requested = outcomeOf(
            Exit.fail(new Retryable({ reason: "later", after: Duration.millis(7) })),
            circumstances,
          )
          assert.strictEqual(Duration.toMillis(waitBefore(schedule, attempt, requested.error)), 7)
        },
      ),
    )
  })
})
