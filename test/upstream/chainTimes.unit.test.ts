import { assert, describe, it } from "@effect/vitest"
import { BlockArrivalTimes } from "#src/upstream/chain/BlockArrivalTimes.ts"

const block = (number: number, at: number) => ({ number, hash: `h${number}`, parentHash: `h${number - 1}`, at })

describe("BlockArrivalTimes", () => {
  it("confirms a time by two reports, which a single other report does not change", () => {
    const heard = new BlockArrivalTimes()
    const said = [10, 10, 70, 10, 10].map((at) => heard.record(block(1, at)))
    assert.deepStrictEqual(said, ["new", "confirmed", "contradicted", "confirmed", "confirmed"])
  })

  it("revises a confirmed time when two reports agree on another", () => {
    const heard = new BlockArrivalTimes()
    const said = [70, 70, 10, 10, 10].map((at) => heard.record(block(1, at)))
    assert.deepStrictEqual(said, ["new", "confirmed", "contradicted", "revised", "confirmed"])
  })

  it("accepts the parent's time but no earlier one, and ignores unconfirmed parents", () => {
    const heard = new BlockArrivalTimes()
    heard.record(block(1, 10))
    assert.isFalse(heard.isBeforeParent(block(2, 9)))
    heard.record(block(1, 10))
    assert.isTrue(heard.isBeforeParent(block(2, 9)))
    assert.isFalse(heard.isBeforeParent(block(2, 10)))
    assert.isFalse(heard.isBeforeParent(block(7, 0)))
  })
})
