import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "#src/domain/Fact.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Prepared } from "../LedgerStore.ts"
import type { Numbers } from "../numbered.ts"
import { applyFact, showTouched } from "./applyFacts.ts"
import type { Position } from "./model.ts"
import { PositionBook } from "./PositionBook.ts"
import {
  addPositions,
  loadHolders,
  loadPositions,
  saveEvents,
  saveUndo,
  updatePositions,
  WantedPositions,
} from "./PositionStore.ts"
import { UndoNotes } from "./UndoNotes.ts"

/** The positions that facts touch, except those that a resolution does. */
export const touchedBy = (facts: ReadonlyArray<Fact>, numbers: Numbers): WantedPositions => {
  const wanted = new WantedPositions()
  for (const fact of facts) showTouched(fact, numbers, wanted.add)
  return wanted
}

/** Conditions that a batch resolves, with the tokens of each, and everybody who holds one of those. */
export interface Resolved {
  readonly tokens: ReadonlyMap<number, ReadonlyArray<number | undefined>>
  readonly holders: ReadonlyArray<Position>
}

export const loadResolved = Effect.fnUntraced(function* (sql: SqlClient, { batch, numbers }: Prepared) {
  const conditions = batch.facts.flatMap((fact) =>
    fact.kind === "resolution" ? [numbers.condition(fact.condition)] : [],
  )
  const tokens = new Map<number, Array<number | undefined>>()
  if (conditions.length === 0) return { tokens, holders: [] } satisfies Resolved
  const rows = yield* sql<{ id: number; condition: number; outcome: number }>`
    select id, condition, outcome from token where condition = any(${pgArray("int4", conditions)})`
  for (const { id, condition, outcome } of rows) {
    const those = tokens.get(condition) ?? []
    those[outcome] = id
    tokens.set(condition, those)
  }
  const holders = yield* loadHolders(
    sql,
    rows.map(({ id }) => id),
  )
  return { tokens, holders } satisfies Resolved
})

/** Makes of positions what the facts of a batch make of them. */
export const settlePositions = Effect.fnUntraced(function* (
  sql: SqlClient,
  { batch, numbers, touched }: Prepared,
  { tokens, holders }: Resolved,
) {
  const known = yield* loadPositions(sql, touched)
  // Whoever waited for the connection sends first: Postgres has something to do while this thinks.
  yield* Effect.yieldNow
  const undo = batch.isUndoable ? new UndoNotes() : undefined
  const book = new PositionBook(undo)
  const before = new Set<Position>()
  for (const position of [...known, ...holders]) if (book.add(position)) before.add(position)
  for (const fact of batch.facts) applyFact(book, fact, numbers, (condition) => tokens.get(condition) ?? [])
  const changed = book.changed()
  yield* Effect.all(
    [
      addPositions(
        sql,
        changed.filter((position) => !before.has(position)),
      ),
      updatePositions(
        sql,
        changed.filter((position) => before.has(position)),
      ),
      saveEvents(sql, book.events()),
      saveUndo(sql, undo?.all ?? []),
    ],
    { concurrency: "unbounded", discard: true },
  )
})
