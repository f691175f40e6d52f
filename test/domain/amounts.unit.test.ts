import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import { indexSetOf } from "#src/domain/indexSet.ts"

describe("decimalAmount", () => {
  it("has all digits, and no more", () => {
    const texts = [0n, 1n, -1n, 520_000n, 12_500_000n, -12_000_000n, 10n ** 24n + 1n].map(decimalAmount)
    assert.deepStrictEqual(texts, ["0", "0.000001", "-0.000001", "0.52", "12.5", "-12", "1000000000000000000.000001"])
  })

  it("is the number that JSON has", () => {
    const isSame = fc.property(fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), (value) =>
      assert.strictEqual(Number(decimalAmount(value)), exactAmount(value)),
    )
    fc.assert(isSame)
  })
})

describe("indexSetOf", () => {
  it("has one bit for each index", () => {
    assert.strictEqual(indexSetOf([]), 0n)
    assert.strictEqual(indexSetOf([0]), 1n)
    assert.strictEqual(indexSetOf([1, 3]), 10n)
    assert.strictEqual(indexSetOf([255]), 2n ** 255n)
  })
})
