import { assert, describe, it } from "@effect/vitest"
import { TransactionCollector, transactionsByBlock } from "#src/ledger/transactionsByBlock.ts"

const fact = (block: number, logIndex: number, tx: string) => ({ block, logIndex, tx, at: 0 })

describe("transactionsByBlock", () => {
  it("names each transaction of a block once, by its first fact, in the order of the chain", () => {
    const of = transactionsByBlock([
      fact(1, 4, "a"),
      fact(1, 2, "a"),
      fact(1, 9, "b"),
      fact(2, 0, "c"),
      fact(1, 7, "a"),
    ])
    assert.deepStrictEqual(of(1), [
      { hash: "a", firstLog: 2 },
      { hash: "b", firstLog: 9 },
    ])
    assert.deepStrictEqual(of(2), [{ hash: "c", firstLog: 0 }])
    assert.deepStrictEqual(of(3), [])
  })

  it("collects facts that come by kind", () => {
    const collector = new TransactionCollector()
    collector.add([fact(1, 5, "b"), fact(1, 6, "b")])
    collector.add([fact(1, 1, "a"), fact(1, 3, "b")])
    assert.deepStrictEqual(collector.of(1), [
      { hash: "a", firstLog: 1 },
      { hash: "b", firstLog: 3 },
    ])
  })
})
