import { assert, describe, it } from "@effect/vitest"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"

describe("The stock of an operator", () => {
  it("costs what the operator pays for it, and fees in shares cost nothing", () => {
    const book = new PositionBook()
    const moment = { block: 1, logIndex: 0, at: 0 }
    book.changeStock(moment, 1, 2, 60, -30)
    book.changeStock(moment, 1, 2, 40, 0)
    book.changeStock(moment, 1, 2, -50, 35)
    const [position] = book.changed()
    assert.deepInclude(position, { shares: 50, cost: 15, bought: 100, paid: 30, sold: 50, realized: 20, volume: 0 })
    assert.deepStrictEqual(
      book.events().map(({ kind, amount }) => [kind, amount]),
      [["sale", 20]],
    )
  })
})
