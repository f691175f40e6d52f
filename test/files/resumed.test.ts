import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { importFacts } from "#src/files/importFacts.ts"
import type { ShowProgress } from "#src/files/model.ts"
import { factKinds } from "#src/ledger/factRows.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { assertSound, coverage, startPausable } from "#test/history/support/reading.ts"
import { caughtUp, nodeAt } from "#test/ledger/support/following.ts"
import { livedVenue } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { emptyLedger, exported, livedLedger } from "./support/ledgers.ts"

/** Facts before the first block that the ledger claims to have. */
const uncovered = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const { facts } = yield* coverage
  const counts = yield* Effect.forEach(
    [...factKinds],
    (kind) => sql<{ n: number }>`select count(*)::int as n from ${sql(kind)} where block < ${facts.block}`,
  )
  return counts.flat().reduce((sum, { n }) => sum + n, 0)
})

describe("An import that is cut short", () => {
  it.live("covers what it has loaded, and the next one completes it", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* livedVenue()
      const { to, manifest } = yield* exported("parquet").pipe(Effect.provide(nodeAt(url)), Effect.provide(livedLedger))
      assert.isAbove(manifest.parts.length, 2)

      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const lastPart = manifest.parts.at(-1)

        // The process ends after the first part that it loads.
        const ending: ShowProgress = (label) => () => (label === "loading facts" ? Effect.die("ended") : Effect.void)
        yield* Effect.exit(importFacts({ from: to, show: ending }))
        const first = yield* coverage
        assert.strictEqual(first.facts.block, lastPart?.from)
        assert.strictEqual(first.positions.block, manifest.last_block.number + 1)
        assert.strictEqual(yield* uncovered, 0)

        // Postgres ends its connections during the next part.
        const cutting: ShowProgress = (label) => () =>
          label === "loading facts"
            ? Effect.ignore(sql`
                select pg_terminate_backend(pid) from pg_stat_activity
                where application_name = 'presage copy' and datname = current_database()`)
            : Effect.void
        yield* Effect.flip(importFacts({ from: to, show: cutting }))
        const second = yield* coverage
        assert.isBelow(second.facts.block, first.facts.block)
        assert.isAbove(second.facts.block, firstBlock)
        assert.strictEqual(yield* uncovered, 0)

        const { added } = yield* importFacts({ from: to })
        assert.deepStrictEqual(added, { from: firstBlock, to: second.facts.block - 1 })
        yield* caughtUp(simulation, yield* startPausable)
        yield* assertSound
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(nodeAt(url)), Effect.provide(emptyLedger()))
    }).pipe(Effect.scoped),
  )
})
