import { assert, describe, it } from "@effect/vitest"
import { UnrecoverableError } from "bullmq"
import { Duration, Exit, Option } from "effect"
import fc from "fast-check"
import { Permanent, Postponed, Retryable } from "#src/mesh/Job.ts"
import { judge, waitBefore } from "#src/mesh/jobOutcome.ts"

const circumstances = { stop: undefined, budget: Duration.seconds(30), isTick: false } as const

describe("The verdict on a job run", () => {
  it("says done only when the handler ran to its end", () => {
    assert.deepStrictEqual(judge(Exit.succeed(true), circumstances), { outcome: "done" })
    assert.deepStrictEqual(judge(Exit.succeed(false), { ...circumstances, isTick: true }), { outcome: "overlapped" })
    assert.deepStrictEqual(judge(Exit.succeed(false), circumstances), {
      outcome: "overlapped",
      postponed: Option.none(),
    })
  })

  it("believes a run that finished although it was told to stop", () => {
    assert.strictEqual(judge(Exit.succeed(true), { ...circumstances, stop: "handed back" }).outcome, "done")
  })

  it("gives each kind of failure its own end", () => {
    assert.instanceOf(judge(Exit.fail(new Permanent({ reason: "no" })), circumstances).error, UnrecoverableError)
    assert.strictEqual(judge(Exit.fail(new Retryable({ reason: "busy" })), circumstances).error?.message, "busy")
    assert.strictEqual(judge(Exit.die(new Error("bug")), circumstances).outcome, "defect")
    assert.deepStrictEqual(judge(Exit.interrupt(), { ...circumstances, stop: "handed back" }), {
      outcome: "handed_back",
    })
    assert.strictEqual(judge(Exit.interrupt(), { ...circumstances, stop: "lock lost" }).outcome, "cancelled")
    const late = judge(Exit.fail(new Permanent({ reason: "no" })), { ...circumstances, stop: "budget" })
    assert.strictEqual(late.outcome, "failed")
    assert.match(judge(Exit.interrupt(), { ...circumstances, stop: "budget" }).error?.message ?? "", /budget of 30s/)
  })

  it("puts back what is not due yet for as long as it asks, without an error", () => {
    const after = Duration.millis(7)
    assert.deepStrictEqual(judge(Exit.fail(new Postponed({ after })), circumstances), {
      outcome: "postponed",
      postponed: Option.some(after),
    })
  })

  it("waits as the schedule says, its last entry again and again, unless the failure asks otherwise", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(1e6), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 50 }),
        (millis, attempt) => {
          const schedule = millis.map((each) => Duration.millis(each))
          const expected = millis[attempt - 1] ?? millis.at(-1)
          assert.strictEqual(Duration.toMillis(waitBefore(schedule, attempt, new Error("any"))), expected)
          const asked = judge(Exit.fail(new Retryable({ reason: "later", after: Duration.millis(7) })), circumstances)
          assert.strictEqual(Duration.toMillis(waitBefore(schedule, attempt, asked.error)), 7)
        },
      ),
    )
  })
})
