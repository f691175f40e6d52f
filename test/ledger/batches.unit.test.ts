import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { usdc } from "#src/domain/amounts.ts"
import type { Fact } from "#src/domain/Fact.ts"
import { eventsOf } from "#src/ledger/events.ts"
import type { Batch, BlockSummary } from "#src/ledger/model.ts"
import type { ApprovalLog } from "#src/upstream/chain/readLogs.ts"

const word = "a".repeat(64)
const eventsSince = 5_000

const summaryAt = (at: number): BlockSummary => ({
  hash: word,
  parent: word,
  at,
  transactions: null,
  venueTransactions: 0,
  settlements: 0,
  volume: 0,
})

const factAt = (block: number, logIndex: number): Fact => ({
  kind: "collateral_flow",
  block,
  logIndex,
  at: block * 1_000,
  tx: word,
  wallet: word,
  amount: usdc(1),
})

const approvalAt = (block: number, logIndex: number): ApprovalLog => ({
  block,
  blockHash: word,
  at: block * 1_000,
  tx: word,
  txIndex: 0,
  logIndex,
  event: { _tag: "CollateralApproval", owner: word, spender: word, amount: "unlimited" },
})

/** Consecutive blocks with the given numbers of facts, and as many approvals after them. */
const batchOf = (first: number, counts: ReadonlyArray<number>): Batch => {
  const numbers = counts.map((_, i) => first + i)
  const last = first + counts.length - 1
  return {
    first,
    last: { number: last, hash: word },
    head: last,
    blocks: numbers.map((number) => ({ number, hash: word, parent: word, at: number * 1_000, logs: 0 })),
    facts: counts.flatMap((count, i) => Array.from({ length: count }, (_, logIndex) => factAt(first + i, logIndex))),
    pairs: [],
    isUndoable: true,
    eventsSince,
    approvals: counts.flatMap((count, i) =>
      Array.from({ length: count }, (_, logIndex) => approvalAt(first + i, count + logIndex)),
    ),
    blockSummaries: new Map(numbers.map((number) => [number, summaryAt(number * 1_000)])),
  }
}

describe("eventsOf", () => {
  it("makes the same events for a batch as for its blocks one by one, and none for blocks older than the retention", () => {
    const counts = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(counts, (counts) => {
        const alone = counts.flatMap((count, i) => eventsOf(batchOf(1 + i, [count])))
        const together = eventsOf(batchOf(1, counts))
        assert.deepStrictEqual(together, alone)
        const inOrder = counts.flatMap((count, i) => {
          const kinds = [...Array(count).fill("collateral_flow"), ...Array(count).fill("approval"), "block"]
          return (1 + i) * 1_000 < eventsSince ? [] : kinds.map((kind) => [kind, BigInt(1 + i)])
        })
        assert.deepStrictEqual(
          together.map(({ kind, ref }) => [kind, ref]),
          inOrder,
        )
        const recent = counts.slice(4)
        assert.lengthOf(
          together,
          recent.reduce((sum, count) => sum + 2 * count + 1, 0),
        )
      }),
    )
  })
})
