import { assert, describe, it } from "vitest"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"

describe("Turns of the event loop", () => {
  it("are shared: between two of them no more is done than was agreed, and all of it in the end", async () => {
    const turn = makeYieldBudget(10)
    let inThisTurn = 0
    let isDone = false
    const perTurn: Array<number> = []
    const look = () => {
      perTurn.push(inThisTurn)
      inThisTurn = 0
      if (!isDone) setImmediate(look)
    }
    setImmediate(look)
    const worker = async () => {
      for (let i = 0; i < 20; i++) {
        await turn(3)
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
    // What begins within the limit is done, so one more than fits; looking falls anywhere between two turns.
    assert.isAtMost(Math.max(...perTurn), 2 * 12)
  })
})
