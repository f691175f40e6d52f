import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shares } from "#src/domain/amounts.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { IdLookup } from "../idLookup.ts"
import { applyFact, visitTouched } from "./applyFacts.ts"
import type { Position } from "./model.ts"
import * as OpeningStore from "./OpeningStore.ts"
import { PositionBook } from "./PositionBook.ts"
import * as PositionStore from "./PositionStore.ts"
import { UndoNotes } from "./undo.ts"

/** The positions that facts touch, except the holders of resolved tokens. */
export const touchedPositions = <Id>(
  facts: ReadonlyArray<PositionFact<Id>>,
  ids: IdLookup<Id>,
): PositionStore.PositionKeys => {
  const keys = new PositionStore.PositionKeys()
  for (const fact of facts) visitTouched(fact, ids, keys.add)
  return keys
}

/** Facts to apply to the stored positions, in chain order. */
export interface PositionChanges<Id> {
  readonly facts: ReadonlyArray<PositionFact<Id>>
  readonly ids: IdLookup<Id>
  readonly touched: PositionStore.PositionKeys
  /** Of touched pairs without a position; those that are missing held nothing before. */
  readonly openings: ReadonlyArray<OpeningStore.Opening>
  /** Whether the blocks may still be replaced. */
  readonly isUndoable: boolean
}

/** Conditions that facts resolve, with their tokens by outcome, and all holders of these tokens. */
export interface Resolved {
  readonly tokens: ReadonlyMap<number, ReadonlyArray<number | undefined>>
  readonly holders: ReadonlyArray<Position>
}

export const loadResolved = Effect.fnUntraced(function* <Id>(
  sql: SqlClient,
  { facts, ids }: Pick<PositionChanges<Id>, "facts" | "ids">,
) {
  const conditions = facts.flatMap((fact) => (fact.kind === "resolution" ? [ids.condition(fact.condition)] : []))
  const tokens = new Map<number, Array<number | undefined>>()
  if (conditions.length === 0) return { tokens, holders: [] } satisfies Resolved
  const rows = yield* sql<{ id: number; condition: number; outcome: number }>`
    select id, condition, outcome from token where condition = any(${pgArray("int4", conditions)})`
  for (const { id, condition, outcome } of rows) {
    const outcomes = tokens.get(condition) ?? []
    outcomes[outcome] = id
    tokens.set(condition, outcomes)
  }
  const holders = yield* PositionStore.loadHolders(
    sql,
    rows.map(({ id }) => id),
  )
  return { tokens, holders } satisfies Resolved
})

/** Applies facts to the stored positions. */
export const applyChanges = Effect.fnUntraced(function* <Id>(
  sql: SqlClient,
  { facts, ids, touched, openings, isUndoable }: PositionChanges<Id>,
  { tokens, holders }: Resolved,
) {
  const loaded = yield* PositionStore.load(sql, touched)
  // Lets a statement that waits for the connection go first, so that Postgres is busy during the computation below.
  yield* Effect.yieldNow
  const undo = isUndoable ? new UndoNotes() : undefined
  const book = new PositionBook(undo)
  const stored = new Set<Position>()
  for (const position of [...loaded, ...holders]) if (book.add(position)) stored.add(position)
  const opened = openings.filter((opening) => book.open(opening.wallet, opening.token, opening.shares ?? shares(0)))
  for (const fact of facts) applyFact(book, fact, ids, (condition) => tokens.get(condition) ?? [])
  const changed = book.changed()
  yield* Effect.all(
    [
      PositionStore.insert(
        sql,
        changed.filter((position) => !stored.has(position)),
      ),
      PositionStore.update(
        sql,
        changed.filter((position) => stored.has(position)),
      ),
      PositionStore.saveEvents(sql, book.events()),
      PositionStore.saveUndo(sql, undo?.all ?? []),
      OpeningStore.save(sql, opened),
    ],
    { concurrency: "unbounded", discard: true },
  )
})
