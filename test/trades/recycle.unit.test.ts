import { assert, describe, it } from "@effect/vitest"
import { makeRecycler } from "#http/trades/recycle.ts"

const part = (value: number, bytes: number) => Buffer.alloc(bytes, value)
const large = 300_000

describe("makeRecycler", () => {
  it("returns parts unchanged, also growing ones, and does not reuse the last three buffers", () => {
    const recycled = makeRecycler()
    const sent: Array<Buffer> = []
    for (let value = 1; value <= 12; value++) {
      sent.push(recycled(part(value, large + value * 1000)))
      for (const [i, bytes] of sent.slice(-4).entries()) {
        const expected = Math.max(0, value - 4) + i + 1
        assert.deepStrictEqual(bytes, part(expected, large + expected * 1000))
      }
    }
  })

  it("frees the memory of large parts and returns small ones as they are", () => {
    const recycled = makeRecycler()
    const given = part(1, large)
    recycled(given)
    assert.strictEqual(given.length, 0)
    const small = part(2, 1000)
    assert.strictEqual(recycled(small), small)
  })
})
