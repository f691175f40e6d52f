import { assert, describe, it } from "@effect/vitest"
import { shares, usdc } from "#src/domain/amounts.ts"
import { PositionBook } from "#src/ledger/positions/PositionBook.ts"

describe("Shares bought on the first exchange", () => {
  it("are those received: a fee in shares is not bought, and its refund is", () => {
    const book = new PositionBook()
    const moment = { block: 1, logIndex: 0, at: 0 }
    book.buy(moment, 1, 2, {
      shares: shares(924_840_000),
      usd: usdc(500_000_000),
      fee: usdc(0),
      feeShares: shares(18_500_000),
    })
    book.refundShares(moment, 1, 2, shares(14_800_000))
    const [position] = book.changed()
    assert.strictEqual(position?.bought, 924_840_000 - 18_500_000 + 14_800_000)
    assert.strictEqual(position?.shares, position?.bought)
    assert.strictEqual(position?.paid, 500_000_000)
  })
})
