import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  decimalAmount,
  exactAmount,
  exactPrice,
  finePrice,
  halfUp,
  minus,
  plus,
  type Shares,
  shares,
  sharesOf,
  type Usdc,
  usdc,
  usdcOf,
} from "#src/domain/amounts.ts"
import { indexSetOf } from "#src/domain/indexSet.ts"

describe("Units of amounts", () => {
  it("are different types for the compiler, at no cost when the program runs", () => {
    const [dollars, count] = [usdc(2_000_000), shares(5_000_000)]
    // @ts-expect-error shares are not dollars
    const wrong: Usdc = count
    // @ts-expect-error a number without a unit is neither
    const bare: Shares = 5
    // @ts-expect-error a difference has one unit
    minus(dollars, count)
    // @ts-expect-error a price of 10⁻⁶ is not one of 10⁻⁸
    exactPrice(usdc(1n))
    // @ts-expect-error nor the other way round
    exactAmount(finePrice(1n))
    assert.deepStrictEqual([wrong, bare], [5_000_000, 5])
    assert.strictEqual(plus(dollars, usdc(1)), 2_000_001)
  })

  it("are parsed from what clients write, to the nearest millionth", () => {
    assert.strictEqual(usdcOf(0.1 + 0.2), 300_000)
    assert.strictEqual(sharesOf(12.3456789), 12_345_679)
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 15), max: 10 ** 15 }), (value) =>
        assert.strictEqual(usdcOf(exactAmount(value)), value),
      ),
    )
  })
})

describe("halfUp", () => {
  it("is the nearest whole number, and of two the higher one", () => {
    const quotients = ([5n, 3n, 1n, 0n, -1n, -3n, -5n] as const).map((numerator) => halfUp(numerator, 2n))
    assert.deepStrictEqual(quotients, [3n, 2n, 1n, 0n, 0n, -1n, -2n])
    const amount = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n })
    const isNearest = fc.property(amount, fc.bigInt({ min: 1n, max: 10n ** 20n }), (numerator, denominator) => {
      // Twice the error: an exact half is rounded up, never down.
      const above = 2n * (halfUp(numerator, denominator) * denominator - numerator)
      assert.isTrue(above <= denominator && above > -denominator)
    })
    fc.assert(isNearest)
  })

  it("is what doubling and truncating gives, unless it is negative", () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n })
    const isSame = fc.property(amount, fc.bigInt({ min: 1n, max: 10n ** 20n }), (numerator, denominator) =>
      assert.strictEqual(halfUp(numerator, denominator), (2n * numerator + denominator) / (2n * denominator)),
    )
    fc.assert(isSame)
  })
})

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
