import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { caughtUp, ledger, nodeAt } from "#test/ledger/support/following.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { assertBalances, assertSound, coverage, reachesBack, startHistory, startPausable } from "./support/reading.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Enough that wallets with opening balances appear in every block. */
const rate = isSoak ? 20 : 4

const newestFirst = (history: string) =>
  Layer.provideMerge(
    ledger,
    testFoundation({ "ledger.history-order": "newest-first", "ledger.history": history, "event-log.retention": "1d" }),
  )

const boardCoverage = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [state] = yield* sql<{ covered_from: number; covered_all: boolean }>`
    select covered_from, covered_all from leaderboard_state`
  return state
})

const partialPositions = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const [row] = yield* sql<{ n: number; profits: number }>`
    select count(*)::int as n, (count(*) filter (where realized <> 0 or cost <> 0))::int as profits
    from position where partial`
  return row ?? { n: 0, profits: 0 }
})

layer(newestFirst("all"), { excludeTestServices: true })("a ledger that follows the head first", (it) => {
  it.effect("begins at the head, then has the whole history and equals the venue's books", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(91, { rate })
      simulation.settle()
      yield* Effect.gen(function* () {
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        const begun = yield* coverage
        assert.strictEqual(begun.positions.block, begun.facts.block)
        assert.isBelow(simulation.head - begun.positions.block, 100)
        assert.isFalse(begun.positions.isComplete)
        simulation.advance(isSoak ? 120_000 : 50_000)
        yield* caughtUp(simulation, following)
        const partial = yield* partialPositions
        assert.isAbove(partial.n, 0)
        assert.strictEqual(partial.profits, 0)
        yield* assertBalances
        yield* assertSound
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        assert.deepStrictEqual(yield* boardCoverage, { covered_from: begun.positions.block, covered_all: false })

        const reading = yield* startHistory
        for (let round = 0; round < (isSoak ? 5 : 3); round++) {
          simulation.advance(8_000)
          simulation.reorg(3 + round)
          yield* caughtUp(simulation, following)
        }
        yield* reachesBack(firstBlock, reading)
        simulation.settle()
        yield* caughtUp(simulation, following)
        const { facts, positions } = yield* coverage
        assert.isTrue(facts.isComplete && positions.isComplete)
        assert.strictEqual((yield* partialPositions).n, 0)
        // Boards claim more only when they count more.
        assert.deepStrictEqual(yield* boardCoverage, { covered_from: begun.positions.block, covered_all: false })
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        assert.deepStrictEqual(yield* boardCoverage, { covered_from: firstBlock, covered_all: true })
        yield* assertSound
        yield* assertEqualsTruth(simulation)
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )
})

const since = firstBlock + (isSoak ? 16_000 : 18_000)

layer(newestFirst(`since:${since}`), { excludeTestServices: true })("a ledger with a part of the history", (it) => {
  it.effect("knows every balance, and the profit of positions that were opened within it", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(92, { rate })
      simulation.settle()
      yield* Effect.gen(function* () {
        const { sql } = yield* Postgres
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        const reading = yield* startHistory
        // Wallets with opening balances appear at the head all the time.
        const busy = Effect.andThen(
          Effect.sync(() => simulation.advance(4_000)),
          caughtUp(simulation, following),
        )
        yield* Effect.raceFirst(reachesBack(since, reading), Effect.forever(busy))
        simulation.advance(isSoak ? 30_000 : 16_000)
        simulation.settle()
        yield* caughtUp(simulation, following)
        const { facts, positions } = yield* coverage
        assert.strictEqual(facts.block, since)
        assert.strictEqual(positions.block, since)
        assert.isFalse(positions.isComplete)
        const partial = yield* partialPositions
        assert.isAbove(partial.n, 0)
        assert.strictEqual(partial.profits, 0)
        const [known] = yield* sql<{ n: number }>`
          select count(*)::int as n from position where not partial and realized <> 0`
        assert.isAbove(known?.n ?? 0, 0)
        yield* assertBalances
        yield* assertSound
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )
})
