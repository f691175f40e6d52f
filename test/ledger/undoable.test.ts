import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { decodedRange, finalizedBatch, recentBatch } from "#src/ledger/batches.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import type { Batch } from "#src/ledger/model.ts"
import { firstUndoable } from "#src/ledger/positions/undo.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { ledger as ledgerLayer } from "./support/following.ts"

const hashOf = (number: number) => number.toString(16).padStart(64, "0")
const headerOf = (number: number): BlockHeader => ({
  number,
  hash: hashOf(number),
  parentHash: hashOf(number - 1),
  at: number * 2_000,
  transactions: 1,
})
const head = 400
const depth = 256

/** Blocks of a backfill, as a range of their own. */
const range = (first: number, last: number): Batch =>
  finalizedBatch({ first, head, decoded: decodedRange([], headerOf(last)), eventsSince: Number.POSITIVE_INFINITY })

layer(ledgerLayer.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })(
  "The blocks that can be undone",
  (it) => {
    it.effect("do not begin in a backfill whose last ranges were single blocks", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const { sql } = yield* Postgres
        const lease = yield* (yield* Leases).seize("chain-follower")
        const append = (batch: Batch) =>
          Effect.flatMap(ledger.prepare(batch), (prepared) => ledger.append(lease, prepared))
        yield* append(range(100, 140))
        yield* append(range(141, 141))
        yield* append(range(142, 142))
        assert.strictEqual(yield* firstUndoable(sql, 142, depth), 143)
        yield* append(range(143, 146))
        yield* append(recentBatch({ headers: [headerOf(147), headerOf(148)], head, logs: [], eventsSince: 0 }))
        assert.strictEqual(yield* firstUndoable(sql, 148, depth), 147)
        assert.strictEqual(yield* firstUndoable(sql, 148, 1), 148)
        const wrong = (yield* verifyLedger).filter(({ ok }) => !ok)
        assert.deepStrictEqual(wrong, [])
      }),
    )
  },
)
