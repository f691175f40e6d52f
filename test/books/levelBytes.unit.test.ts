import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { packLevels, unpackLevels } from "#src/books/levelBytes.ts"

const size = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const side = (compare: (a: number, b: number) => number) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 999_999 }), { maxLength: 12 })
    .chain((prices) => fc.tuple(...prices.toSorted(compare).map((price) => size.map((of) => ({ price, size: of })))))

describe("Recorded levels", () => {
  it("are read as they were written, up to the number that is kept", () => {
    fc.assert(
      fc.property(
        side((a, b) => b - a),
        side((a, b) => a - b),
        fc.integer({ min: 1, max: 15 }),
        (bids, asks, most) => {
          const read = unpackLevels(packLevels({ bids, asks }, most))
          assert.deepStrictEqual(read, { bids: bids.slice(0, most), asks: asks.slice(0, most) })
        },
      ),
    )
  })

  it("take about six bytes each", () => {
    const levels = (direction: number) =>
      Array.from({ length: 10 }, (_, i) => ({ price: 500_000 + direction * i * 10_000, size: 123_450_000 + i }))
    assert.isAtMost(packLevels({ bids: levels(-1), asks: levels(1) }, 10).length, 130)
  })
})
