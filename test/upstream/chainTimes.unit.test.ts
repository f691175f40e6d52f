import { assert, describe, it } from "@effect/vitest"
import { HeardTimes } from "#src/upstream/chain/HeardTimes.ts"

const block = (number: number, at: number) => ({ number, hash: `h${number}`, parentHash: `h${number - 1}`, at })

describe("The time of a block", () => {
  it("counts when it is said twice, and a single other answer does not change that", () => {
    const heard = new HeardTimes()
    const said = [10, 10, 70, 10, 10].map((at) => heard.hear(block(1, at)))
    assert.deepStrictEqual(said, ["new", "confirmed", "contradicted", "confirmed", "confirmed"])
  })

  it("that two answers gave is revised by two that agree on another", () => {
    const heard = new HeardTimes()
    const said = [70, 70, 10, 10, 10].map((at) => heard.hear(block(1, at)))
    assert.deepStrictEqual(said, ["new", "confirmed", "contradicted", "revised", "confirmed"])
  })

  it("may be that of the block before it, but not earlier; what is not certain proves nothing", () => {
    const heard = new HeardTimes()
    heard.hear(block(1, 10))
    assert.isFalse(heard.isBeforeParent(block(2, 9)))
    heard.hear(block(1, 10))
    assert.isTrue(heard.isBeforeParent(block(2, 9)))
    assert.isFalse(heard.isBeforeParent(block(2, 10)))
    assert.isFalse(heard.isBeforeParent(block(7, 0)))
  })
})
