import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { shares, usdc } from "#src/domain/amounts.ts"
import { costOfPart, payoutOf } from "#src/ledger/positions/cost.ts"
import { costShare } from "#src/simulator/world/Books.ts"

const count = fc.integer({ min: 1, max: 4_000_000_000_000 }).map((each) => shares(each))
const cost = fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 }).map((each) => usdc(each))

describe("costOfPart", () => {
  it("rounds half up, within half a unit of the exact cost", () => {
    fc.assert(
      fc.property(cost, count, count, (total, part, whole) => {
        if (part >= whole) return assert.strictEqual(costOfPart(total, part, whole), total)
        const off = 2n * (BigInt(costOfPart(total, part, whole)) * BigInt(whole) - BigInt(total) * BigInt(part))
        assert.isTrue(off > -BigInt(whole) && off <= BigInt(whole))
      }),
      { numRuns: 2_000 },
    )
  })

  it("equals the venue's own books for small and large amounts", () => {
    const small = fc.integer({ min: 1, max: 5_000_000 }).map((each) => shares(each))
    for (const sizes of [small, count]) {
      fc.assert(
        fc.property(cost, sizes, sizes, (total, part, whole) => {
          assert.strictEqual(costOfPart(total, part, whole), costShare(total, part, whole))
        }),
        { numRuns: 2_000 },
      )
    }
  })

  it("payoutOf rounds down", () => {
    assert.deepStrictEqual(
      [payoutOf(shares(3), 1, 2), payoutOf(shares(3), 1, 1), payoutOf(shares(3), 0, 1), payoutOf(shares(999), 1, 3)],
      [1, 3, 0, 333],
    )
  })
})
