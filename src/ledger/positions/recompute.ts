import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fact } from "#src/domain/Fact.ts"
import { asNumbers, type FactPart, readFacts } from "../readFacts.ts"
import { applyFact, showTouched, type TokensOf } from "./applyFacts.ts"
import { Holdings } from "./Holdings.ts"
import type { Position, RealizedEvent } from "./model.ts"
import { PositionBook } from "./PositionBook.ts"
import type { UndoNote } from "./UndoNotes.ts"

/** What some consecutive blocks make of the positions. */
export interface Step {
  readonly first: number
  readonly last: number
  readonly events: ReadonlyArray<RealizedEvent>
  /** By block, for those that may still be replaced. */
  readonly undo: ReadonlyMap<number, ReadonlyArray<UndoNote>>
}

export interface RecomputeRange {
  readonly first: number
  readonly last: number
  /** From here on blocks may still be replaced. */
  readonly undoableFrom: number
}

const readTokens = Effect.fnUntraced(function* (sql: SqlClient) {
  const tokens = new Map<number, Array<number | undefined>>()
  const rows = yield* sql<{ id: number; condition: number; outcome: number }>`
    select id, condition, outcome from token where condition is not null`
  for (const { id, condition, outcome } of rows) {
    const known = tokens.get(condition) ?? []
    known[outcome] = id
    tokens.set(condition, known)
  }
  const tokensOf: TokensOf = (condition) => tokens.get(condition) ?? []
  return tokensOf
})

/** Applies facts as the follower does: to a book that holds what they touch, and nothing else. */
const advance = (holdings: Holdings, facts: ReadonlyArray<Fact>, tokensOf: TokensOf) => {
  const book = new PositionBook()
  const brought = new Set<Position>()
  const bring = (position: Position | undefined) => {
    if (position === undefined || brought.has(position)) return
    brought.add(position)
    book.add({ ...position })
  }
  for (const fact of facts) {
    showTouched(fact, asNumbers, (wallet, token) => bring(holdings.get(wallet, token)))
    if (fact.kind !== "resolution") continue
    for (const token of tokensOf(Number(fact.condition))) {
      if (token === undefined) continue
      for (const holder of holdings.holdersOf(token)) if (holder.shares !== 0) bring(holder)
    }
  }
  for (const fact of facts) applyFact(book, fact, asNumbers, tokensOf)
  const changed = book.changed()
  const before = changed.map(({ wallet, token }) => ({ wallet, token, before: holdings.get(wallet, token) }))
  for (const position of changed) holdings.set(position)
  return { before, events: book.events() }
}

/**
 * What there should be, from the facts alone. The holdings are complete when the steps have been run to their end; they
 * are in memory, one fact after the other is not.
 */
export const recompute = Effect.fnUntraced(function* (sql: SqlClient, { first, last, undoableFrom }: RecomputeRange) {
  const tokensOf = yield* readTokens(sql)
  const holdings = new Holdings()
  const firstUndoable = Math.max(first, undoableFrom)

  const settled = (part: FactPart): Step => ({
    first: part.first,
    last: part.last,
    events: advance(holdings, part.facts, tokensOf).events,
    undo: new Map(),
  })
  /** One block after the other, and not with the notes that the follower takes: they are checked against these. */
  const undoable = (part: FactPart): Step => {
    const events: Array<RealizedEvent> = []
    const undo = new Map<number, ReadonlyArray<UndoNote>>()
    for (const [block, facts] of Map.groupBy(part.facts, ({ block }) => block)) {
      const made = advance(holdings, facts, tokensOf)
      for (const event of made.events) events.push(event)
      undo.set(
        block,
        made.before.map((each) => ({ block, ...each })),
      )
    }
    return { first: part.first, last: part.last, events, undo }
  }
  const steps = Stream.concat(
    Stream.map(readFacts(sql, tokensOf, first, Math.min(last, firstUndoable - 1)), settled),
    Stream.map(readFacts(sql, tokensOf, firstUndoable, last), undoable),
  )
  return { holdings, steps }
})
