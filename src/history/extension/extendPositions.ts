import { Effect, Option, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { markStale } from "#src/leaderboards/exclusive.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import type { BlockTime } from "#src/ledger/historyGoal.ts"
import { storedIds } from "#src/ledger/idLookup.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { pauseFollower } from "#src/ledger/pauseFollower.ts"
import { applyChanges, loadResolved, touchedPositions } from "#src/ledger/positions/applyBatch.ts"
import * as OpeningStore from "#src/ledger/positions/OpeningStore.ts"
import { readTokens } from "#src/ledger/positions/recompute.ts"
import { firstUndoable } from "#src/ledger/positions/undo.ts"
import { type FactPart, readFacts } from "#src/ledger/readFacts.ts"
import { repairCombos } from "#src/ledger/resolutions/rederive.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { resetWalletDays } from "#src/rollups/WalletDayStore.ts"
import { openBalances, takeNewOpenings } from "./openings.ts"
import * as Extension from "./schema.ts"

/** Blocks that are left for the end, when the follower waits. */
const leftOver = 64

/** Applies facts to the positions of the extension. Must run after `enter`. */
const applyPart = Effect.fnUntraced(function* (sql: SqlClient, { facts, last }: FactPart, isUndoable: boolean) {
  const touched = touchedPositions(facts, storedIds)
  const { wallets, tokens } = touched.columns()
  const openings = yield* OpeningStore.of(sql, wallets, tokens)
  const changes = { facts, ids: storedIds, touched, openings, isUndoable }
  yield* applyChanges(sql, changes, yield* loadResolved(sql, changes))
  yield* Extension.moveOn(sql, last)
})

/** Applies finalized facts part by part. A crash loses at most the last parts, whose facts are then applied again. */
const applyFinalized = Effect.fnUntraced(function* (lease: Lease, from: number, to: number) {
  const { sql, exports } = yield* Postgres
  yield* readFacts(exports, yield* readTokens(exports), from, to).pipe(
    Stream.buffer({ capacity: 1 }),
    Stream.runForEach((part) =>
      lease.tx(
        Effect.gen(function* () {
          yield* Extension.enter(sql)
          yield* sql`set local synchronous_commit = off`
          yield* applyPart(sql, part, false)
        }),
      ),
    ),
  )
})

/** Applies the newest facts while the follower waits, and replaces the present positions. */
const conclude = Effect.fnUntraced(function* (lease: Lease, { first, block }: Extension.ExtensionState) {
  const { sql } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  yield* lease.tx(
    Effect.gen(function* () {
      yield* pauseFollower(sql)
      const [cursor] = yield* sql<{ block: number }>`select block from chain_cursor`
      if (cursor === undefined) return
      const last = cursor.block
      const undoableFrom = yield* firstUndoable(sql, last, depth)
      yield* markStale(sql)
      yield* resetWalletDays(sql)
      const tokensOf = yield* readTokens(sql)
      yield* takeNewOpenings(sql)
      yield* Stream.runForEach(readFacts(sql, tokensOf, block + 1, undoableFrom - 1), (part) =>
        applyPart(sql, part, false),
      )
      yield* Stream.runForEach(readFacts(sql, tokensOf, Math.max(block + 1, undoableFrom), last), (part) =>
        applyPart(sql, part, true),
      )
      yield* Extension.leave(sql)
      yield* Extension.replaceTables(sql)
      yield* CoverageStore.movePositions(sql, first)
    }),
    "5 minutes",
  )
})

/** Continues an extension that is under way. Returns whether there was one. */
export const resumeExtension = Effect.fnUntraced(function* (lease: Lease) {
  const { sql, exports } = yield* Postgres
  const ledger = yield* Ledger
  const depth = (yield* Configuration).get(reorgDepth)
  const found = yield* Extension.readState(sql)
  if (found === undefined) return false
  if (!found.isOpened) {
    const [coverage] = yield* sql<{ venue_from: number }>`select venue_from from ledger_coverage`
    yield* openBalances(lease, found.first.number, found.first.number <= (coverage?.venue_from ?? 0))
  }
  for (let state = found; ; ) {
    const cursor = yield* ledger.cursor
    const finalized = Option.match(cursor, { onNone: () => 0, onSome: ({ block }) => block - depth })
    if (finalized - state.block <= leftOver) {
      yield* Extension.addIndexes(exports)
      yield* conclude(lease, state)
      return true
    }
    // Every pair that the next blocks touch first has its opening balance by now.
    yield* lease.tx(takeNewOpenings(sql))
    yield* applyFinalized(lease, state.block + 1, finalized)
    state = (yield* Extension.readState(sql)) ?? state
  }
})

/** Recomputes all positions from an earlier block on, beside the follower. */
export const extendPositions = Effect.fn("History.extendPositions")(function* (lease: Lease, first: BlockTime) {
  const { sql } = yield* Postgres
  // History may have added combos, or the results of their legs.
  yield* lease.tx(Effect.andThen(repairCombos(sql), Extension.create(sql, first)))
  yield* resumeExtension(lease)
})
