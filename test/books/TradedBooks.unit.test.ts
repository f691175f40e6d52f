import { assert, it } from "@effect/vitest"
import type { Publishable } from "#src/books/Publication.ts"
import { TradedBooks } from "#src/books/TradedBooks.ts"

const published = (token: string, trades: ReadonlyArray<number>, price: number): Publishable => {
  const depth = { condition: "ab", bids: [{ price, size: 1 }], asks: [], tickSize: null, updatedAt: 0 }
  const quote = { bid: price, ask: null, mid: null, spread: null, lastTrade: null, tickSize: null, updatedAt: 0 }
  const change = {
    prev: 1,
    seq: 2,
    checksum: "",
    changes: [],
    firstTrade: 1,
    trades: trades.map((at) => ({ price, size: 1, side: "buy" as const, at, feeRate: null, transaction: null })),
  }
  return { token, shown: { quote, book: { ...depth, epoch: "1", seq: 2, checksum: "", trades: 0 } }, change }
}

it("A book is recorded after its newest trade, and again only after a while", () => {
  const traded = new TradedBooks()
  const taken = (now: number) => traded.take(now, 5_000).map(({ token, at, bids }) => [token, at, bids[0]?.price])
  traded.note(published("1", [], 10))
  assert.deepStrictEqual(taken(0), [])
  traded.note(published("1", [100, 200], 11))
  traded.note(published("1", [300], 12))
  traded.note(published("1", [], 99))
  traded.note(published("2", [250], 20))
  traded.note({ token: "3", shown: undefined, change: published("3", [1], 1).change })
  assert.deepStrictEqual(taken(1_000), [
    ["1", 300, 12],
    ["2", 250, 20],
  ])
  traded.note(published("1", [2_000], 13))
  traded.note(published("1", [5_500], 14))
  assert.deepStrictEqual(taken(5_999), [])
  assert.deepStrictEqual(taken(6_000), [["1", 5_500, 14]])
  assert.deepStrictEqual(taken(20_000), [])
})
