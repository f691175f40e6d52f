import { Array as Arr, Effect, Schema, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { markStale } from "#src/leaderboards/exclusive.ts"
import { pauseFollower } from "#src/ledger/pauseFollower.ts"
import * as PositionStore from "#src/ledger/positions/PositionStore.ts"
import { type RecomputeStep, recompute } from "#src/ledger/positions/recompute.ts"
import { firstUndoable } from "#src/ledger/positions/undo.ts"
import { repairCombos } from "#src/ledger/resolutions/rederive.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { exitCodes } from "#src/platform/process/exitCodes.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { resetWalletDays } from "#src/rollups/WalletDayStore.ts"
import { eventDifferences, positionDifferences, undoDifferences } from "./positionDifferences.ts"
import { retryDeadlock } from "./retryDeadlock.ts"

export class NothingToRebuild extends Schema.TaggedError<NothingToRebuild>()("NothingToRebuild", {}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return "the ledger is empty: positions are computed from its facts, so start Presage first and let it catch up with the chain"
  }
}

/** Number of rows after a rebuild, and how many of them it changed. */
export interface RebuildResult {
  readonly first: number
  readonly last: number
  readonly positions: number
  readonly realizedEvents: number
  readonly differed: { readonly positions: number; readonly realizedEvents: number; readonly undo: number }
}

export interface BlockProgress {
  readonly first: number
  readonly last: number
  readonly block: number
}

export type OnProgress = (reached: BlockProgress) => Effect.Effect<void>

export interface RebuildOptions {
  readonly depth: number
  /** First block of the ledger after the transaction, if earlier than now. */
  readonly startsFrom?: number
  /** Last block of the ledger after the transaction, if earlier than now. */
  readonly endsAt?: number
  readonly onProgress: OnProgress
}

const positionsPerStatement = 10_000

const repairEvents = Effect.fnUntraced(function* (sql: SqlClient, step: RecomputeStep) {
  const { rows, blocks } = yield* eventDifferences(sql, step)
  if (rows > 0) {
    const wrong = new Set(blocks)
    yield* sql`delete from realized_event where block = any(${pgArray("int4", blocks)})`
    yield* PositionStore.saveEvents(
      sql,
      step.events.filter(({ block }) => wrong.has(block)),
    )
  }
  return rows
})

const repairUndo = Effect.fnUntraced(function* (sql: SqlClient, step: RecomputeStep) {
  const { rows, blocks } = yield* undoDifferences(sql, step)
  if (rows === 0) return 0
  yield* sql`delete from position_undo where block = any(${pgArray("int4", blocks)})`
  yield* PositionStore.saveUndo(
    sql,
    blocks.flatMap((block) => step.undo.get(block) ?? []),
  )
  return rows
})

/**
 * Recomputes resolutions of combos, positions, realized events and undo rows, and writes only the rows that differ. Must run in a transaction that
 * pauses the follower.
 */
export const rebuildPaused = Effect.fnUntraced(function* (sql: SqlClient, options: RebuildOptions) {
  const { depth, startsFrom = Number.POSITIVE_INFINITY, endsAt = Number.POSITIVE_INFINITY, onProgress } = options
  const [cursor] = yield* sql<{ block: number; started_from: number }>`select block, started_from from chain_cursor`
  if (cursor === undefined) return yield* new NothingToRebuild()
  const [first, last] = [Math.min(cursor.started_from, startsFrom), Math.min(cursor.block, endsAt)]
  yield* markStale(sql)
  yield* resetWalletDays(sql)
  const undoableFrom = yield* firstUndoable(sql, last, depth)
  yield* repairCombos(sql)
  const { holdings, steps } = yield* recompute(sql, { first, last, undoableFrom })
  const outside = yield* sql<{ n: number }>`
    with gone as (delete from realized_event where block < ${first} or block > ${last} returning 1)
    select count(*)::int as n from gone`
  // Undo rows of finalized blocks are only waiting to be deleted.
  yield* sql`delete from position_undo where block < ${undoableFrom} or block > ${last}`
  const differed = { positions: 0, realizedEvents: outside[0]?.n ?? 0, undo: 0 }
  let realizedEvents = 0
  yield* Stream.runForEach(steps, (step) =>
    Effect.gen(function* () {
      realizedEvents += step.events.length
      differed.realizedEvents += yield* repairEvents(sql, step)
      if (step.last >= undoableFrom) differed.undo += yield* repairUndo(sql, step)
      yield* onProgress({ first, last, block: step.last })
    }),
  )
  const { wrong, surplus } = yield* positionDifferences(sql, holdings)
  differed.positions = wrong.length + surplus.length
  for (const part of Arr.chunksOf(surplus, positionsPerStatement)) yield* PositionStore.remove(sql, part)
  for (const part of Arr.chunksOf(wrong, positionsPerStatement)) yield* PositionStore.upsert(sql, part)
  const rebuilt: RebuildResult = { first, last, positions: holdings.size, realizedEvents, differed }
  return rebuilt
})

/** Runs beside a live service, in one transaction: readers see the old rows until it commits. */
export const rebuildPositions = Effect.fnUntraced(function* (onProgress: OnProgress = () => Effect.void) {
  const { sql, tx } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  return yield* retryDeadlock(tx(Effect.andThen(pauseFollower(sql), rebuildPaused(sql, { depth, onProgress }))))
})
