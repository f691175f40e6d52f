import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { importFacts } from "#src/files/importFacts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { assertBalances, assertSound, coverage, startPausable } from "#test/history/support/reading.ts"
import { caughtUp, nodeAt } from "#test/ledger/support/following.ts"
import { livedVenue } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { assertSame, contents, emptyLedger, exported, headFirst, livedLedger, namedRows } from "./support/ledgers.ts"

/** Facts, positions and leaderboards. */
const wholeLedger = Effect.gen(function* () {
  yield* assertSound
  assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
  const standing = yield* namedRows("leaderboard_standing")
  return { ...(yield* contents), standing, rolling: yield* namedRows("leaderboard_rolling") }
})

describe("Facts that are exported and imported", () => {
  it.live("make the same ledger in an empty database and behind another head, and it follows the chain", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* livedVenue()
      const { parquet, csv, whole } = yield* Effect.gen(function* () {
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        const files = { parquet: yield* exported("parquet"), csv: yield* exported("csv") }
        // The head moves on before others import.
        simulation.advance(20_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        return { ...files, whole: yield* wholeLedger }
      }).pipe(Effect.provide(nodeAt(url)), Effect.provide(livedLedger))
      assert.isAbove(parquet.manifest.parts.length, 2)
      assert.strictEqual(parquet.manifest.from, firstBlock)
      assert.deepStrictEqual(csv.manifest.rows, parquet.manifest.rows)

      yield* Effect.gen(function* () {
        const imported = yield* importFacts({ from: parquet.to })
        assert.deepStrictEqual(imported.added, { from: firstBlock, to: parquet.manifest.last_block.number })
        assert.strictEqual(imported.positionsFrom, firstBlock)
        yield* assertSound
        assert.isTrue((yield* coverage).positions.isComplete)
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        assertSame(yield* wholeLedger, whole)

        const again = yield* importFacts({ from: csv.to })
        assert.isUndefined(again.added)
        assertSame(yield* contents, Object.fromEntries(Object.entries(whole).slice(0, -2)))
      }).pipe(Effect.provide(nodeAt(url)), Effect.provide(emptyLedger()))

      yield* Effect.gen(function* () {
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        const begun = yield* coverage
        assert.isFalse(begun.facts.isComplete)
        const imported = yield* importFacts({ from: csv.to })
        assert.deepStrictEqual(imported.added, { from: firstBlock, to: begun.facts.block - 1 })
        simulation.advance(4_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* assertSound
        yield* assertBalances
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(nodeAt(url)), Effect.provide(headFirst))
    }).pipe(Effect.scoped),
  )
})
