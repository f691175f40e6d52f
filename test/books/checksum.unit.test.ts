import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { CheckedBook } from "#src/books/CheckedBook.ts"

const level = fc.record({ price: fc.integer({ min: 1, max: 40 }), size: fc.integer({ min: 1, max: 5_000_000 }) })
const side = fc.uniqueArray(level, { selector: ({ price }) => price, maxLength: 20 })
const books = fc.array(fc.record({ bids: side, asks: side }), { minLength: 1, maxLength: 10 })

const scaled = (levels: ReadonlyArray<{ price: number; size: number }>) =>
  levels.map(({ price, size }) => ({ price: price * 10_000, size }))

/** The documented definition, applied to the strings that a client receives. */
const documented = (bids: Map<string, string>, asks: Map<string, string>) => {
  let sum = 0
  for (const [price, size] of bids) sum ^= crc32(`bid:${price}:${size}`)
  for (const [price, size] of asks) sum ^= crc32(`ask:${price}:${size}`)
  return (sum >>> 0).toString(16).padStart(8, "0")
}

const texts = (levels: ReadonlyArray<{ price: number; size: number }>) =>
  new Map(levels.map(({ price, size }) => [String(price / 1e6), String(size / 1e6)]))

describe("CheckedBook", () => {
  it("updates the checksum incrementally to the documented value", () => {
    fc.assert(
      fc.property(books, (steps) => {
        const book = new CheckedBook()
        assert.strictEqual(book.checksum, "00000000")
        const follower = new CheckedBook()
        for (const step of steps) {
          const sides = { bids: scaled(step.bids), asks: scaled(step.asks) }
          const changes = book.become(sides)
          assert.strictEqual(book.checksum, documented(texts(sides.bids), texts(sides.asks)))
          for (const change of changes) assert.isTrue(follower.set(change))
          assert.strictEqual(follower.checksum, book.checksum)
          assert.deepStrictEqual(
            follower.levels("bid"),
            sides.bids.toSorted((a, b) => b.price - a.price),
          )
          assert.deepStrictEqual(
            follower.levels("ask"),
            sides.asks.toSorted((a, b) => a.price - b.price),
          )
          assert.isEmpty(book.become(sides))
        }
      }),
    )
  })

  it("returns the checksum of the documented example", () => {
    const book = new CheckedBook()
    book.become({ bids: [{ price: 410_000, size: 120_000_000 }], asks: [{ price: 430_000, size: 75_500_000 }] })
    assert.strictEqual(book.checksum, documented(new Map([["0.41", "120"]]), new Map([["0.43", "75.5"]])))
  })
})
