import { assert, describe, it } from "vitest"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"

describe("makeYieldBudget", () => {
  it("limits the work of one turn of the event loop, and completes all of it", async () => {
    const spend = makeYieldBudget(10)
    let inThisTurn = 0
    let isDone = false
    const perTurn: Array<number> = []
    const sample = () => {
      perTurn.push(inThisTurn)
      inThisTurn = 0
      if (!isDone) setImmediate(sample)
    }
    setImmediate(sample)
    const worker = async () => {
      for (let i = 0; i < 20; i++) {
        await spend(3)
        inThisTurn += 3
      }
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    isDone = true
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    assert.strictEqual(
      perTurn.reduce((sum, each) => sum + each, 0),
      8 * 20 * 3,
    )
    // The last call of a turn may exceed the limit, and a sample may span two turns.
    assert.isAtMost(Math.max(...perTurn), 2 * 12)
  })
})
