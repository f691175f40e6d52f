import { Effect, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { asNumbers, readFacts } from "#src/ledger/readFacts.ts"
import { applyFact } from "./applyFacts.ts"
import { PositionBook } from "./PositionBook.ts"

/** Every position there should be, from the facts alone. */
export const recompute = Effect.fnUntraced(function* (sql: SqlClient, first: number, last: number) {
  const tokens = new Map<number, Array<number | undefined>>()
  const rows = yield* sql<{ id: number; condition: number; outcome: number }>`
    select id, condition, outcome from token where condition is not null`
  for (const { id, condition, outcome } of rows) {
    const known = tokens.get(condition) ?? []
    known[outcome] = id
    tokens.set(condition, known)
  }
  const book = new PositionBook()
  yield* Stream.runForEach(readFacts(sql, first, last), (fact) =>
    Effect.sync(() => applyFact(book, fact, asNumbers, (condition) => tokens.get(condition) ?? [])),
  )
  return book
})
