import { invalid, Params } from "./Params.ts"

export interface OffsetLimits {
  readonly defaultLimit: number
  readonly maxLimit: number
  readonly maxOffset: number
  /** Name of the rows in the error message. */
  readonly rows: string
}

interface OffsetPage {
  readonly offset: number
  readonly limit: number
}

/** v1 clamps the limit and rejects an offset beyond the maximum. */
export const offsetPageIn = (params: Params, { defaultLimit, maxLimit, maxOffset, rows }: OffsetLimits): OffsetPage => {
  const offset = params.integer("offset") ?? 0
  if (offset > maxOffset) throw invalid(`max historical ${rows} offset of ${maxOffset} exceeded`, "offset")
  return { offset, limit: Math.min(params.integer("limit") ?? defaultLimit, maxLimit) }
}

/** Limits of a list with cursors. */
export interface CursorLimits {
  readonly defaultLimit: number
  readonly maxLimit: number
  /** Largest offset accepted instead of a cursor; undefined rejects offsets. */
  readonly maxOffset: number | undefined
}

export const v2Limits: CursorLimits = { defaultLimit: 100, maxLimit: 1_000, maxOffset: undefined }

/** The v1 lists with cursors. */
export const v1Limits = {
  comboPositions: { defaultLimit: 20, maxLimit: 1_000, maxOffset: 100_000 },
  comboActivity: { defaultLimit: 50, maxLimit: 500, maxOffset: 10_000 },
} as const satisfies Readonly<Record<string, CursorLimits>>

const offsetIn = (params: Params, maxOffset: number | undefined): number => {
  if (params.text("offset") === undefined) return 0
  if (maxOffset === undefined) throw invalid("offset is not supported, use cursor", "offset")
  const offset = params.integer("offset") ?? 0
  if (offset > maxOffset) throw invalid(`offset must be at most ${maxOffset}`, "offset")
  // A cursor overrides the offset.
  return params.text("cursor") === undefined ? offset : 0
}

/** Unlike v1 offset lists, a limit out of range is rejected. */
export const cursorPageIn = (params: Params, { defaultLimit, maxLimit, maxOffset } = v2Limits): OffsetPage => {
  const offset = offsetIn(params, maxOffset)
  const limit = params.integer("limit") ?? defaultLimit
  if (limit < 1 || limit > maxLimit) throw invalid(`limit must be between 1 and ${maxLimit}`, "limit")
  return { offset, limit }
}

/** One page of a sequence, read no further than needed. */
export const takePage = <A>(rows: Iterable<A>, { offset, limit }: OffsetPage): ReadonlyArray<A> => {
  const out: Array<A> = []
  if (limit === 0) return out
  let skipped = 0
  for (const row of rows) {
    if (skipped++ < offset) continue
    out.push(row)
    if (out.length === limit) break
  }
  return out
}

export interface V2Response {
  readonly data: unknown
  readonly pagination?: {
    readonly limit: number
    readonly offset: 0
    readonly has_more: boolean
    readonly next_cursor: string | null
  }
}

const encodeCursor = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const decodeCursor = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString())
  } catch {
    throw invalidCursor()
  }
}

const invalidCursor = () => invalid("cursor is not valid", "cursor")

export const pageResponse = <A>(
  /** Up to one row more than the limit. */
  rows: ReadonlyArray<A>,
  limit: number,
  show: (row: A) => unknown,
  cursorAfter: (row: A) => unknown,
): V2Response => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const has_more = rows.length > limit
  const next_cursor = has_more && last !== undefined ? encodeCursor(cursorAfter(last)) : null
  return { data: shown.map(show), pagination: { limit, offset: 0, has_more, next_cursor } }
}

/** The row to continue after. */
export const rowCursorIn = (params: Params): number | undefined => {
  const cursor = params.text("cursor")
  if (cursor === undefined) return undefined
  const row = decodeCursor(cursor)
  if (typeof row !== "number" || !Number.isSafeInteger(row) || row < 0) throw invalidCursor()
  return row
}

/** Position in a list sorted descending by value, then ascending by id. */
export interface SortPosition {
  readonly value: number
  readonly id: number
}

/** A query whose cursors carry its parameters. */
export interface PinnedQuery {
  readonly params: Params
  readonly limit: number
  /** Rows to skip without a cursor. */
  readonly offset: number
  readonly after: SortPosition | undefined
}

type SentParams = ReadonlyArray<readonly [string, string]>

const isSentParams = (value: unknown): value is SentParams =>
  Array.isArray(value) &&
  value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string"))

const sentParams = (params: Params): SentParams => [...params.entries()].filter(([name]) => name !== "cursor")

/** Parameters sent with a cursor must match those of its query, which also fixes the page size. */
export const pinnedQuery = (params: Params, limits = v2Limits): PinnedQuery => {
  const page = cursorPageIn(params, limits)
  const cursor = params.text("cursor")
  if (cursor === undefined) return { params, ...page, after: undefined }
  const parts = decodeCursor(cursor)
  if (!Array.isArray(parts)) throw invalidCursor()
  const [query, value, id]: ReadonlyArray<unknown> = parts
  if (!isSentParams(query) || typeof value !== "number" || typeof id !== "number") throw invalidCursor()
  for (const [name, text] of sentParams(params)) {
    if (name === "limit") continue
    if (!query.some((pair) => pair[0] === name && pair[1] === text)) {
      throw invalid(`${name} contradicts the cursor`, name)
    }
  }
  const pinned = new Params(new URLSearchParams(query.map(([name, text]): [string, string] => [name, text])))
  return { params: pinned, ...cursorPageIn(pinned, limits), after: { value, id } }
}

const isAfter = (position: SortPosition, last: SortPosition) =>
  position.value < last.value || (position.value === last.value && position.id > last.id)

/** A page of a sorted list. Concurrent changes neither repeat nor skip other items. */
export const pinnedPage = <A>(
  { params, limit, offset, after }: PinnedQuery,
  items: ReadonlyArray<A>,
  positionOf: (item: A) => SortPosition,
  show: (item: A) => unknown,
): V2Response => {
  const first = after === undefined ? offset : items.findIndex((item) => isAfter(positionOf(item), after))
  const rows = first < 0 ? [] : items.slice(first, first + limit + 1)
  return pageResponse(rows, limit, show, (item) => {
    const { value, id } = positionOf(item)
    return [sentParams(params), value, id]
  })
}
