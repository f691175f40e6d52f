import { assert, describe, it } from "@effect/vitest"
import { RangeWidth } from "#src/ledger/RangeWidth.ts"

const wanted = 2_000

interface Node {
  readonly logsPerBlock: (block: number) => number
  readonly isTooLarge: (blocks: number, logs: number) => boolean
}

/** Reads a number of blocks, several ranges at once, and counts answers and refusals. */
const read = ({ logsPerBlock, isTooLarge }: Node, blocks: number) => {
  const width = new RangeWidth()
  const logsIn = (from: number, count: number) => {
    let sum = 0
    for (let block = from; block < from + count; block++) sum += logsPerBlock(block)
    return sum
  }
  const answers: Array<number> = []
  let refused = 0
  let next = 0
  while (next < blocks) {
    const requested = [0, 1, 2, 3, 4].map(() => width.blocks)
    for (const count of requested) {
      const logs = logsIn(next, count)
      if (isTooLarge(count, logs)) {
        refused += 1
        width.refused(count)
        break
      }
      width.answered(count, logs, wanted)
      answers.push(logs)
      next += count
    }
  }
  return { answers, refused, requests: answers.length + refused }
}

describe("RangeWidth", () => {
  it("converges on the wanted number of logs per answer", () => {
    const { answers, refused } = read({ logsPerBlock: () => 3, isTooLarge: () => false }, 200_000)
    assert.strictEqual(refused, 0)
    assert(answers.slice(5).every((logs) => Math.abs(logs - wanted) <= 3))
  })

  it("recovers from a sudden rise of activity after one refusal", () => {
    const begins = 100_000
    const { answers, refused } = read(
      {
        logsPerBlock: (block) => (block < begins ? 0.2 : 29),
        isTooLarge: (_, logs) => logs > 20_000,
      },
      begins + 10_000,
    )
    assert.strictEqual(refused, 1)
    assert(answers.slice(-20).every((logs) => Math.abs(logs - wanted) <= 29))
  })

  it("approaches a node's block limit with few refusals", () => {
    for (const most of [1, 2, 7, 100, 500, 2_000]) {
      const { refused, requests } = read({ logsPerBlock: () => 0, isTooLarge: (blocks) => blocks > most }, most * 1_000)
      assert.isBelow(refused / requests, 0.03, `${refused} refused of ${requests} at ${most}`)
      assert.isBelow(requests, 2_000, `at ${most}`)
    }
  })

  it("grows once per width, and not by answers to requests from before a refusal", () => {
    const width = new RangeWidth()
    for (let i = 0; i < 5; i++) width.answered(500, 0, wanted)
    assert.strictEqual(width.blocks, 1_000)
    width.answered(1_000, 0, wanted)
    width.answered(1_000, 100 * wanted, wanted)
    assert.strictEqual(width.blocks, 10)
    width.answered(1_000, 0, wanted)
    assert.strictEqual(width.blocks, 10)
    width.answered(10, 0, wanted)
    assert.strictEqual(width.blocks, 20)
  })

  it("takes the width that the node suggests instead of guessing", () => {
    const width = new RangeWidth()
    width.refused(500, 63)
    assert.strictEqual(width.blocks, 63)
    for (let i = 0; i < 4; i++) width.refused(500, 63)
    width.answered(63, 0, wanted)
    assert.strictEqual(width.blocks, 63)
    width.refused(63, 10)
    assert.strictEqual(width.blocks, 10)
  })

  it("counts refusals of concurrent requests as one", () => {
    const width = new RangeWidth()
    for (let i = 0; i < 5; i++) width.refused(500)
    assert.strictEqual(width.blocks, 16)
  })
})
