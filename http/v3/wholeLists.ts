import { Clock, Effect } from "effect"
import { HttpServerRequest } from "effect/unstable/http/HttpServerRequest"
import type { AsOf } from "#src/ledger/asOf.ts"
import { listResponse, type Row, shownAsOf } from "./answer.ts"
import { coverageOf } from "./coverageOf.ts"
import type { RowFormat } from "./pages.ts"

export interface ReadList {
  readonly rows: ReadonlyArray<Row>
  readonly asOf: AsOf | undefined
  /** Further fields of the answer. */
  readonly rest: Readonly<Record<string, unknown>>
}

/** The fields beside the rows of a list that has one page, in the words of lists that have several. */
export const onePage = (rows: ReadonlyArray<Row>, limit = 1, hasMore = false) => ({
  rows_returned: rows.length,
  has_more: hasMore,
  offset: 0,
  limit,
  next_cursor: null,
})

export const oneRow = (row: Row, asOf: AsOf | undefined): ReadList => ({ rows: [row], asOf, rest: onePage([row]) })

/** Answers with a list that has no further pages, in the format that the client accepts. */
export const wholeLists = Effect.map(
  coverageOf,
  (coverageNow) =>
    <E, R>({ key, columns, subject = {}, covers }: RowFormat, read: Effect.Effect<ReadList, E, R>) =>
      Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const coverage = yield* coverageNow(covers)
        const { rows, asOf, rest } = yield* read
        const now = yield* Clock.currentTimeMillis
        const { headers } = yield* HttpServerRequest
        const elapsed_ms = Math.max(0, Math.round(now - start))
        return listResponse(headers["accept"], {
          key,
          rows,
          columns,
          asOf,
          nextCursor: null,
          now,
          rest: { ...subject, ...rest, as_of: shownAsOf(asOf), coverage, elapsed_ms },
        })
      }),
)
