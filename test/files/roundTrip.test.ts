import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { importFacts } from "#src/files/importFacts.ts"
import { fileFormats } from "#src/files/model.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { assertBalances, assertSound, coverage, startPausable } from "#test/history/support/reading.ts"
import { caughtUp, nodeAt } from "#test/ledger/support/following.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { runningVenue } from "#test/support/venue.ts"
import { assertSame, contents, emptyLedger, exported, namedRows } from "./support/ledgers.ts"

/** What all ledgers of this chain must have at its head. */
const wholeLedger = Effect.gen(function* () {
  yield* assertSound
  assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
  const standing = yield* namedRows("leaderboard_standing")
  return { ...(yield* contents(2 ** 31 - 1)), standing, rolling: yield* namedRows("leaderboard_rolling") }
})

describe("A ledger that is exported and imported", () => {
  for (const format of fileFormats) {
    it.live(`is the same in an empty database and behind another head, and follows the chain (${format})`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(61)
        simulation.settle()
        const first = yield* Effect.gen(function* () {
          const following = yield* startPausable
          yield* caughtUp(simulation, following)
          const files = yield* exported(format)
          // The head moves on while others import.
          simulation.advance(90_000)
          simulation.settle()
          yield* caughtUp(simulation, following)
          return { ...files, whole: yield* wholeLedger }
        }).pipe(Effect.provide(nodeAt(url)), Effect.provide(emptyLedger()))
        assert.isAbove(first.manifest.parts.length, 2)
        assert.strictEqual(first.manifest.from, firstBlock)

        yield* Effect.gen(function* () {
          const imported = yield* importFacts({ from: first.to })
          assert.deepStrictEqual(imported.added, { from: firstBlock, to: first.manifest.last_block.number })
          assert.strictEqual(imported.positionsFrom, firstBlock)
          yield* assertSound
          assert.isTrue((yield* coverage).positions.isComplete)
          const following = yield* startPausable
          yield* caughtUp(simulation, following)
          assertSame(yield* wholeLedger, first.whole)
          yield* assertEqualsTruth(simulation)
        }).pipe(Effect.provide(nodeAt(url)), Effect.provide(emptyLedger()))

        yield* Effect.gen(function* () {
          const following = yield* startPausable
          yield* caughtUp(simulation, following)
          const begun = yield* coverage
          assert.isFalse(begun.facts.isComplete)
          const imported = yield* importFacts({ from: first.to })
          assert.deepStrictEqual(imported.added, { from: firstBlock, to: begun.facts.block - 1 })
          simulation.advance(4_000)
          simulation.settle()
          yield* caughtUp(simulation, following)
          yield* assertSound
          yield* assertBalances
          yield* assertEqualsTruth(simulation)
        }).pipe(
          Effect.provide(nodeAt(url)),
          Effect.provide(emptyLedger({ "ledger.history-order": "newest-first", "ledger.history": "none" })),
        )
      }).pipe(Effect.scoped),
    )
  }
})
