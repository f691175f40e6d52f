import { Clock, Effect } from "effect"
import type { TradeQuery } from "#src/trades/list/model.ts"
import { TradeLists } from "#src/trades/list/TradeLists.ts"
import { placeIn, positionOf, refusal } from "../../trades/list/translate.ts"
import { ageHeaders, shownAsOf } from "../../v3/answer.ts"
import { coverageOf } from "../../v3/coverageOf.ts"
import { type CursorNames, Cursors, type ListedQuery } from "../../v3/cursor.ts"

type PagedQuery = Omit<TradeQuery, "behind" | "offset">
type From = CursorNames & { readonly cursor: string | undefined }

export const byCursor = (cursor: string | undefined): From => ({ cursor, param: "cursor", field: "pagination.cursor" })
export const byKey = (cursor: string | undefined): From => ({
  cursor,
  param: "pagination_key",
  field: "pagination.pagination_key",
})

/** Reads a page, the cursor of the next one, and the fields that every answer has. */
export const tradePages = Effect.gen(function* () {
  const lists = yield* TradeLists
  const cursors = yield* Cursors
  const coverageNow = yield* coverageOf
  return Effect.fnUntraced(function* (given: ListedQuery, from: From, wanted: PagedQuery) {
    const behind = from.cursor === undefined ? undefined : yield* cursors.open(given, from.cursor, from)
    const coverage = yield* coverageNow("facts")
    const query = { ...wanted, behind: placeIn(behind), offset: 0 }
    const { trades, next, asOf } = yield* Effect.catch(lists.page(query), refusal)
    const nextCursor = next === undefined ? null : yield* cursors.issue(given, positionOf(next))
    const rest = { count: trades.length, as_of: shownAsOf(asOf), coverage }
    const headers = ageHeaders(asOf, yield* Clock.currentTimeMillis)
    const pagination = { limit: wanted.limit, has_more: next !== undefined }
    return { trades, nextCursor, rest, pagination, headers }
  })
})
