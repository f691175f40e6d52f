import { Effect, Schema, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { markStale } from "#src/leaderboards/alone.ts"
import { holdFollower } from "#src/ledger/holdFollower.ts"
import { firstUndoable } from "#src/ledger/positions/firstUndoable.ts"
import { saveEvents, savePositions, saveUndo } from "#src/ledger/positions/PositionStore.ts"
import { recompute, type Step } from "#src/ledger/positions/recompute.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { eventDifferences, positionDifferences, undoDifferences } from "./positionDifferences.ts"

export class NothingToRebuild extends Schema.TaggedError<NothingToRebuild>()("NothingToRebuild", {}) {
  override get message() {
    return "the ledger is empty: positions are computed from its facts, so start Presage first and let it reach the chain"
  }
}

/** Rows of a rebuild: how many there are now, and how many were different before. */
export interface Rebuilt {
  readonly first: number
  readonly last: number
  readonly positions: number
  readonly realizedEvents: number
  readonly differed: { readonly positions: number; readonly realizedEvents: number; readonly undo: number }
}

export interface Reached {
  readonly first: number
  readonly last: number
  readonly block: number
}

/** Told how far it has come. */
export type OnReached = (reached: Reached) => Effect.Effect<void>

export interface RebuildOptions {
  readonly depth: number
  /** Where the ledger begins once the transaction is done, if that is earlier than now. */
  readonly beginsAt?: number
  readonly onReached: OnReached
}

const positionsAtOnce = 10_000

const mendEvents = Effect.fnUntraced(function* (sql: SqlClient, step: Step) {
  const { rows, blocks } = yield* eventDifferences(sql, step)
  if (rows > 0) {
    const wrong = new Set(blocks)
    yield* sql`delete from realized_event where block = any(${pgArray("int4", blocks)})`
    yield* saveEvents(
      sql,
      step.events.filter(({ block }) => wrong.has(block)),
    )
  }
  return rows
})

const mendUndo = Effect.fnUntraced(function* (sql: SqlClient, step: Step) {
  const { rows, blocks } = yield* undoDifferences(sql, step)
  if (rows === 0) return 0
  yield* sql`delete from position_undo where block = any(${pgArray("int4", blocks)})`
  yield* saveUndo(
    sql,
    blocks.flatMap((block) => step.undo.get(block) ?? []),
  )
  return rows
})

const inParts = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / positionsAtOnce) }, (_, i) =>
    all.slice(i * positionsAtOnce, (i + 1) * positionsAtOnce),
  )

/**
 * Computes positions and what follows from them anew, and mends what is different; everything else stays untouched. Part
 * of a transaction in which the follower is held.
 */
export const rebuildHeld = Effect.fnUntraced(function* (sql: SqlClient, options: RebuildOptions) {
  const { depth, beginsAt = Number.POSITIVE_INFINITY, onReached } = options
  const [cursor] = yield* sql<{ block: number; started_from: number }>`select block, started_from from chain_cursor`
  if (cursor === undefined) return yield* new NothingToRebuild()
  const [first, last] = [Math.min(cursor.started_from, beginsAt), cursor.block]
  yield* markStale(sql)
  const undoableFrom = yield* firstUndoable(sql, last, depth)
  const { holdings, steps } = yield* recompute(sql, { first, last, undoableFrom })
  const beyond = yield* sql<{ n: number }>`
    with gone as (delete from realized_event where block < ${first} or block > ${last} returning 1)
    select count(*)::int as n from gone`
  // Those that settled meanwhile are only waiting to be forgotten.
  yield* sql`delete from position_undo where block < ${undoableFrom} or block > ${last}`
  const differed = { positions: 0, realizedEvents: beyond[0]?.n ?? 0, undo: 0 }
  let realizedEvents = 0
  yield* Stream.runForEach(steps, (step) =>
    Effect.gen(function* () {
      realizedEvents += step.events.length
      differed.realizedEvents += yield* mendEvents(sql, step)
      if (step.last >= undoableFrom) differed.undo += yield* mendUndo(sql, step)
      yield* onReached({ first, last, block: step.last })
    }),
  )
  const { wrong, surplus } = yield* positionDifferences(sql, holdings)
  differed.positions = wrong.length + surplus.length
  for (const part of inParts(surplus)) {
    yield* sql`
      delete from position p using unnest(${pgArray(
        "int4",
        part.map(([wallet]) => wallet),
      )}, ${pgArray(
        "int4",
        part.map(([, token]) => token),
      )}) s(wallet, token) where p.wallet = s.wallet and p.token = s.token`
  }
  for (const part of inParts(wrong)) yield* savePositions(sql, part)
  const rebuilt: Rebuilt = { first, last, positions: holdings.size, realizedEvents, differed }
  return rebuilt
})

/** All of it or nothing, beside a running service: who reads has the old rows until the new ones are complete. */
export const rebuildPositions = Effect.fnUntraced(function* (onReached: OnReached = () => Effect.void) {
  const { sql, tx } = yield* Postgres
  const depth = (yield* Configuration).get(reorgDepth)
  return yield* tx(Effect.andThen(holdFollower(sql), rebuildHeld(sql, { depth, onReached })))
})
