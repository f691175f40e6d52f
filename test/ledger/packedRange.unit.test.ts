import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { shares, usdc } from "#src/domain/amounts.ts"
import type { Fact, Fill } from "#src/domain/Fact.ts"
import type { BlockRecord, DecodedRange } from "#src/ledger/model.ts"
import { pack, transferables, unpack } from "#src/ledger/packedRange.ts"

const word = fc.constantFrom("a", "b", "c", "d").map((digit) => digit.repeat(64))
const perhaps = fc.option(word, { nil: undefined })
const whole = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })

const position = { block: whole, logIndex: whole, at: whole, tx: word }
const fill: fc.Arbitrary<Fill> = fc.record({
  kind: fc.constant("fill"),
  ...position,
  exchange: word,
  orderHash: word,
  maker: word,
  taker: perhaps,
  side: fc.constantFrom("buy", "sell"),
  token: word,
  shares: whole.map((each) => shares(each)),
  usd: whole.map((each) => usdc(each)),
  fee: whole.map((each) => usdc(each)),
  feeInShares: fc.boolean(),
  builder: perhaps,
})
const flow: fc.Arbitrary<Fact> = fc.record({
  kind: fc.constant("collateral_flow"),
  ...position,
  wallet: word,
  amount: whole.map((each) => usdc(each)),
})
const block: fc.Arbitrary<BlockRecord> = fc.record({
  number: whole,
  hash: word,
  parent: fc.constant(undefined),
  at: whole,
  logs: whole,
})

const range: fc.Arbitrary<DecodedRange> = fc.record({
  facts: fc.array(fc.oneof(fill, flow)),
  pairs: fc.array(fc.record({ condition: word, tokens: fc.tuple(word, word) })),
  blocks: fc.array(block),
  last: fc.record({ number: whole, hash: word, parentHash: word, at: whole }),
})

describe("packedRange", () => {
  it("transfers a range to another thread unchanged and in order", () => {
    fc.assert(
      fc.property(range, (decoded) => {
        const packed = pack(decoded)
        const received = structuredClone(packed, { transfer: transferables(packed) })
        assert.deepStrictEqual(unpack(received), decoded)
      }),
    )
  })
})
