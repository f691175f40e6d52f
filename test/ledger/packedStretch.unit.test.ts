import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import type { Fact, Fill } from "#src/domain/Fact.ts"
import type { Stretch } from "#src/ledger/batches.ts"
import type { KnownBlock } from "#src/ledger/LedgerStore.ts"
import { givenAway, pack, unpack } from "#src/ledger/packedRange.ts"

const word = fc.constantFrom("a", "b", "c", "d").map((digit) => digit.repeat(64))
const perhaps = fc.option(word, { nil: undefined })
const whole = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER })

const place = { block: whole, logIndex: whole, at: whole, tx: word }
const fill: fc.Arbitrary<Fill> = fc.record({
  kind: fc.constant("fill"),
  ...place,
  exchange: word,
  orderHash: word,
  maker: word,
  taker: perhaps,
  side: fc.constantFrom("buy", "sell"),
  token: word,
  shares: whole,
  usd: whole,
  fee: whole,
  feeInShares: fc.boolean(),
  builder: perhaps,
})
const flow: fc.Arbitrary<Fact> = fc.record({
  kind: fc.constant("collateral_flow"),
  ...place,
  wallet: word,
  amount: whole,
})
const block: fc.Arbitrary<KnownBlock> = fc.record({
  number: whole,
  hash: word,
  parent: perhaps,
  at: whole,
  logs: whole,
})

const stretch: fc.Arbitrary<Stretch> = fc.record({
  facts: fc.array(fc.oneof(fill, flow)),
  pairs: fc.array(fc.record({ condition: word, tokens: fc.tuple(word, word) })),
  known: fc.array(block),
  last: fc.record({ number: whole, hash: word, parentHash: word, at: whole }),
})

describe("A stretch of history", () => {
  it("is the same on the other side of a thread, fact for fact and in order", () => {
    fc.assert(
      fc.property(stretch, (told) => {
        const packed = pack(told)
        const there = structuredClone(packed, { transfer: givenAway(packed) })
        assert.deepStrictEqual(unpack(there), told)
      }),
    )
  })
})
