import { assert, describe, it } from "@effect/vitest"
import { shares, usdc } from "#src/domain/amounts.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"

describe("The stock of an operator", () => {
  it("costs what the operator pays for it, and fees in shares cost nothing", () => {
    const book = new PositionBook()
    const moment = { block: 1, logIndex: 0, at: 0 }
    book.changeStock(moment, 1, 2, shares(60), usdc(-30))
    book.changeStock(moment, 1, 2, shares(40), usdc(0))
    book.changeStock(moment, 1, 2, shares(-50), usdc(35))
    const [position] = book.changed()
    const expected: object = { shares: 50, cost: 15, bought: 100, paid: 30, sold: 50, realized: 20, volume: 0 }
    assert.deepInclude(position, expected)
    assert.deepStrictEqual(
      book.events().map(({ kind, amount }) => [kind, amount]),
      [["sale", 20]],
    )
  })
})
