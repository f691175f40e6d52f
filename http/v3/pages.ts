import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { AsOf } from "#src/ledger/asOf.ts"
import { type ListAnswer, listResponse, type Row, shownAsOf } from "./answer.ts"
import { coverageOf } from "./coverageOf.ts"
import { Cursors } from "./cursor.ts"
import { emptyRange, type ListOrder, listLimit } from "./parameters.ts"

export interface PageParameters {
  readonly order?: ListOrder
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
}

export interface WantedPage {
  readonly order: ListOrder
  readonly limit: number
  readonly offset: number
  /** Where the page before ended: the integers of `ReadPage.next`. */
  readonly behind: ReadonlyArray<bigint> | undefined
}

export interface ReadPage {
  readonly rows: ReadonlyArray<Row>
  /** Where the next page begins; undefined at the end. */
  readonly next: ReadonlyArray<number | bigint> | undefined
  readonly asOf: AsOf | undefined
  /** Further fields of the answer. */
  readonly more?: Readonly<Record<string, unknown>>
}

export interface RowFormat {
  /** The key of the rows in the JSON object. */
  readonly key: string
  /** The columns of CSV. */
  readonly columns: ReadonlyArray<string>
  /** What the list is of, as in the path: the first fields of the answer. */
  readonly subject?: Readonly<Record<string, string>>
  readonly covers: "facts" | "positions"
}

export interface ListFormat extends RowFormat {
  /** The name of the list: a cursor of one list is none of another. Its columns may change from release to release. */
  readonly list: string
}

/** Reads a page of a list: opens and issues cursors, and adds what every list has beside its rows. */
export const listAnswers = Effect.gen(function* () {
  const cursors = yield* Cursors
  const coverageNow = yield* coverageOf
  return <Given extends PageParameters, E>(
    { list, key, columns, subject = {}, covers }: ListFormat,
    given: Given,
    read: (page: WantedPage, filters: Omit<Given, keyof PageParameters>) => Effect.Effect<ReadPage, E>,
  ) =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { order = "desc", limit = listLimit.default, offset = 0, cursor, ...filters } = given
      const refused = emptyRange(filters)
      if (refused !== undefined) return yield* refused
      const query = { ...filters, order, ...subject, list }
      const behind = cursor === undefined ? undefined : yield* cursors.open(query, cursor)
      const coverage = yield* coverageNow(covers)
      const { rows, next, asOf, more } = yield* read({ order, limit, offset, behind }, filters)
      const nextCursor = next === undefined ? null : yield* cursors.issue(query, next)
      const now = yield* Clock.currentTimeMillis
      const answer: ListAnswer = {
        key,
        rows,
        columns,
        asOf,
        nextCursor,
        now,
        rest: {
          ...subject,
          ...more,
          rows_returned: rows.length,
          has_more: next !== undefined,
          offset,
          limit,
          next_cursor: nextCursor,
          as_of: shownAsOf(asOf),
          coverage,
          elapsed_ms: Math.max(0, Math.round(now - start)),
        },
      }
      return answer
    })
})

/** Answers a request for a page of a list. */
export const pagedLists = Effect.gen(function* () {
  const answerOf = yield* listAnswers
  return <Given extends PageParameters, E>(
    format: ListFormat,
    given: Given,
    read: (page: WantedPage, filters: Omit<Given, keyof PageParameters>) => Effect.Effect<ReadPage, E>,
  ) =>
    Effect.gen(function* () {
      const answer = yield* answerOf(format, given, read)
      const { headers } = yield* HttpServerRequest
      return listResponse(headers["accept"], answer)
    })
})
