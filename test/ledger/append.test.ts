import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Batch } from "#src/ledger/model.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { ledger as ledgerLayer } from "./support/following.ts"

/** Finalized blocks without facts. */
const blocks = (first: number, last: number): Batch => {
  const hash = last.toString(16).padStart(64, "0")
  return {
    first,
    last: { number: last, hash },
    head: 1_000,
    blocks: [{ number: last, hash, parent: undefined, at: last * 2_000, logs: 0 }],
    facts: [],
    pairs: [],
    isUndoable: false,
    eventsSince: Number.POSITIVE_INFINITY,
    approvals: [],
    blockSummaries: new Map(),
  }
}

layer(ledgerLayer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("Ledger.append", (it) => {
  it.effect("rejects a batch that does not follow on the cursor and keeps nothing of it", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { sql } = yield* Postgres
      const lease = yield* (yield* Leases).seize("chain-follower")
      const append = (batch: Batch) =>
        Effect.flatMap(ledger.prepare(batch), (prepared) => ledger.append(lease, prepared))
      const kept = Effect.all([
        Effect.map(
          ledger.cursor,
          Option.map(({ block }) => block),
        ),
        Effect.map(sql<{ number: number }>`select number from block order by 1`, (rows) =>
          rows.map(({ number }) => number),
        ),
      ])
      yield* append(blocks(100, 109))
      const before = yield* Effect.map(
        sql<{ block: number; hash: Uint8Array }>`select * from chain_cursor`,
        ([row]) => row,
      )
      assert(before !== undefined)
      yield* append(blocks(110, 119))

      // As after a crash of Postgres that lost the second batch while the third was prepared.
      yield* sql`update chain_cursor set block = ${before.block}, hash = ${before.hash}`
      yield* sql`delete from block where number > ${before.block}`
      const failure = yield* Effect.flip(append(blocks(120, 129)))
      assert.strictEqual(failure._tag, "LedgerGap")
      assert.include(failure.message, "block 120 cannot follow: the ledger is at block 109")
      assert.deepStrictEqual(yield* kept, [Option.some(109), [109]])

      yield* append(blocks(110, 129))
      assert.strictEqual((yield* Effect.flip(append(blocks(120, 129))))._tag, "LedgerGap")
      assert.deepStrictEqual(yield* kept, [Option.some(129), [109, 129]])
    }),
  )
})
