import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type Shares, shares } from "#src/domain/amounts.ts"
import type { PositionFact } from "#src/domain/Fact.ts"
import { droppedBefore } from "../coverage/CoverageStore.ts"
import { storedIds } from "../idLookup.ts"
import { type FactPart, readFacts } from "../readFacts.ts"
import { applyFact, type TokensOf, visitTouched } from "./applyFacts.ts"
import * as BaseStore from "./BaseStore.ts"
import { Holdings } from "./Holdings.ts"
import type { Position, RealizedEvent } from "./model.ts"
import * as OpeningStore from "./OpeningStore.ts"
import { PositionBook } from "./PositionBook.ts"
import type { UndoNote } from "./undo.ts"

/** The effect of some consecutive blocks on the positions. */
export interface RecomputeStep {
  readonly first: number
  readonly last: number
  readonly events: ReadonlyArray<RealizedEvent>
  /** By block, for blocks that may still be replaced. */
  readonly undo: ReadonlyMap<number, ReadonlyArray<UndoNote>>
}

export interface RecomputeRange {
  readonly first: number
  readonly last: number
  /** The first block that may still be replaced. */
  readonly undoableFrom: number
}

export const readTokens = Effect.fnUntraced(function* (sql: SqlClient) {
  const tokens = new Map<number, Array<number | undefined>>()
  const rows = yield* sql<{ id: number; condition: number; outcome: number }>`
    select id, condition, outcome from token where condition is not null`
  for (const { id, condition, outcome } of rows) {
    const outcomes = tokens.get(condition) ?? []
    outcomes[outcome] = id
    tokens.set(condition, outcomes)
  }
  const tokensOf: TokensOf = (condition) => tokens.get(condition) ?? []
  return tokensOf
})

/** Shares from before the first block, by token and wallet. */
type Openings = ReadonlyMap<number, ReadonlyMap<number, Shares>>

const readOpenings = Effect.fnUntraced(function* (sql: SqlClient) {
  const openings = new Map<number, Map<number, Shares>>()
  for (const { wallet, token, shares: held = shares(0) } of yield* OpeningStore.all(sql)) {
    const ofToken = openings.get(token) ?? new Map<number, Shares>()
    openings.set(token, ofToken.set(wallet, held))
  }
  return openings as Openings
})

interface Inputs {
  readonly tokensOf: TokensOf
  readonly openings: Openings
}

/** Applies facts as the follower does: to a book with only the positions that they touch. */
const advance = (holdings: Holdings, facts: ReadonlyArray<PositionFact<number>>, { tokensOf, openings }: Inputs) => {
  const book = new PositionBook()
  const added = new Set<Position>()
  const add = (position: Position | undefined) => {
    if (position === undefined || added.has(position)) return
    added.add(position)
    book.add({ ...position })
  }
  for (const fact of facts) {
    visitTouched(fact, storedIds, (wallet, token) => {
      const held = holdings.get(wallet, token)
      const opening = held === undefined ? openings.get(token)?.get(wallet) : undefined
      if (opening === undefined) add(held)
      else book.open(wallet, token, opening)
    })
    if (fact.kind !== "resolution") continue
    for (const token of tokensOf(fact.condition)) {
      if (token === undefined) continue
      for (const holder of holdings.holdersOf(token)) if (holder.shares !== 0) add(holder)
    }
  }
  for (const fact of facts) applyFact(book, fact, storedIds, tokensOf)
  const changed = book.changed()
  const before = changed.map(({ wallet, token }) => ({ wallet, token, before: holdings.get(wallet, token) }))
  for (const position of changed) holdings.set(position)
  return { before, events: book.events() }
}

/**
 * Computes the expected positions from the facts, and from what dropped facts have left. `holdings` is complete after the
 * last step; it is kept in memory, while facts are streamed.
 */
export const recompute = Effect.fnUntraced(function* (sql: SqlClient, { first, last, undoableFrom }: RecomputeRange) {
  const tokensOf = yield* readTokens(sql)
  const inputs: Inputs = { tokensOf, openings: yield* readOpenings(sql) }
  const holdings = new Holdings()
  const dropped = yield* droppedBefore(sql)
  if (dropped !== undefined) for (const position of yield* BaseStore.read(sql)) holdings.set(position)
  const begin = Math.max(first, dropped ?? first)
  const firstUndoable = Math.max(begin, undoableFrom)

  const finalized = (part: FactPart): RecomputeStep => ({
    first: part.first,
    last: part.last,
    events: advance(holdings, part.facts, inputs).events,
    undo: new Map(),
  })
  /** Block by block, and without the follower's undo notes, because those are checked against these. */
  const undoable = (part: FactPart): RecomputeStep => {
    const events: Array<RealizedEvent> = []
    const undo = new Map<number, ReadonlyArray<UndoNote>>()
    for (const [block, facts] of Map.groupBy(part.facts, ({ block }) => block)) {
      const advanced = advance(holdings, facts, inputs)
      for (const event of advanced.events) events.push(event)
      undo.set(
        block,
        advanced.before.map((each) => ({ block, ...each })),
      )
    }
    return { first: part.first, last: part.last, events, undo }
  }
  const steps = Stream.concat(
    Stream.map(readFacts(sql, tokensOf, begin, Math.min(last, firstUndoable - 1)), finalized),
    Stream.map(readFacts(sql, tokensOf, firstUndoable, last), undoable),
  )
  return { holdings, steps }
})
