import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { averagePrice, rounded, slippageFrom, walkDollars, walkShares } from "#src/books/walkBook.ts"
import type { Level } from "#src/upstream/clob/model.ts"

const book = fc
  .uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 6 })
  .chain((prices) =>
    fc.tuple(
      ...prices
        .toSorted((a, b) => a - b)
        .map((price) => fc.integer({ min: 1, max: 40 }).map((size): Level => ({ price, size }))),
    ),
  )

/** Takes one share after the other. */
const oneByOne = (levels: ReadonlyArray<Level>, canTake: (price: number, cost: number, shares: number) => boolean) => {
  const each = levels.flatMap(({ price, size }) => Array<number>(size).fill(price))
  let [cost, shares] = [0, 0]
  for (const price of each) {
    if (!canTake(price, cost, shares)) return { cost, shares, isComplete: true }
    cost += price
    shares++
  }
  return { cost, shares, isComplete: false }
}

describe("Walking a book", () => {
  it("for dollars takes what taking share by share takes", () => {
    fc.assert(
      fc.property(book, fc.integer({ min: 1, max: 5_000 }), (levels, budget) => {
        // Units of the walk: 10⁻⁶ dollars are a million of price times shares.
        const scaled = levels.map(({ price, size }) => ({ price: price * 1_000_000, size }))
        const walked = walkDollars(scaled, BigInt(budget))
        const expected = oneByOne(levels, (price, cost) => cost + price <= budget)
        assert.strictEqual(walked.cost, BigInt(expected.cost) * 1_000_000n)
        assert.strictEqual(walked.shares, BigInt(expected.shares))
        assert.isAtMost(walked.levels, levels.length)
        const used = levels.slice(0, walked.levels)
        assert.strictEqual(walked.worst, used.length === 0 ? undefined : (used.at(-1)?.price ?? 0) * 1_000_000)
        const all = levels.reduce((sum, { price, size }) => sum + price * size, 0)
        // What is left at the end is less than a share costs.
        const isLess = budget - all < (levels.at(-1)?.price ?? 0)
        assert.strictEqual(walked.isComplete, isLess || expected.isComplete)
      }),
      { numRuns: 500 },
    )
  })

  it("for shares takes what taking share by share takes", () => {
    fc.assert(
      fc.property(book, fc.integer({ min: 1, max: 300 }), (levels, wanted) => {
        const walked = walkShares(levels, BigInt(wanted))
        const expected = oneByOne(levels, (_price, _cost, shares) => shares < wanted)
        assert.deepStrictEqual([walked.cost, walked.shares], [BigInt(expected.cost), BigInt(expected.shares)])
        assert.strictEqual(walked.isComplete, expected.shares === wanted)
      }),
    )
  })

  it("has an average between the best and the worst price, and its distance from them", () => {
    fc.assert(
      fc.property(book, fc.integer({ min: 1, max: 300 }), (levels, wanted) => {
        const walked = walkShares(levels, BigInt(wanted))
        const [best] = levels
        if (best === undefined) return assert.isUndefined(averagePrice(walked))
        const average = Number(averagePrice(walked)) / 100
        assert.isTrue(best.price <= average + 0.01 && average <= (walked.worst ?? 0) + 0.01)
        const exact = Number(walked.cost) / Number(walked.shares)
        const slippage = slippageFrom(walked, "buy", 2 * best.price)
        assert.closeTo(Number(slippage?.price) / 100, exact - best.price, 0.01)
        assert.closeTo(Number(slippage?.percent) / 1e6, (100 * (exact - best.price)) / best.price, 1e-6)
        assert.strictEqual(slippageFrom(walked, "sell", 2 * best.price)?.price, -(slippage?.price ?? 0n))
      }),
    )
  })

  it("rounds half away from zero", () => {
    assert.deepStrictEqual(
      [rounded(5n, 2n), rounded(-5n, 2n), rounded(5n, -2n), rounded(4n, 3n), rounded(0n, 7n)],
      [3n, -3n, -3n, 1n, 0n],
    )
  })
})
