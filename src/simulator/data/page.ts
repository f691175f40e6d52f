import type { Params } from "./Params.ts"
import { invalid } from "./refusal.ts"

export interface OffsetLimits {
  readonly usual: number
  readonly most: number
  readonly furthest: number
  /** What the refusal of a further offset calls the rows. */
  readonly rows: string
}

export interface OffsetPage {
  readonly offset: number
  readonly limit: number
}

/** The first generation cuts too large a limit down and refuses to go too far. */
export const offsetPageIn = (params: Params, { usual, most, furthest, rows }: OffsetLimits): OffsetPage => {
  const offset = params.whole("offset") ?? 0
  if (offset > furthest) throw invalid(`max historical ${rows} offset of ${furthest} exceeded`, "offset")
  return { offset, limit: Math.min(params.whole("limit") ?? usual, most) }
}

const usual = 100
const most = 1000

/** The second generation refuses too large a limit, and any offset. */
export const limitIn = (params: Params): number => {
  if (params.text("offset") !== undefined) throw invalid("offset is not supported, use cursor", "offset")
  const limit = params.whole("limit") ?? usual
  if (limit < 1 || limit > most) throw invalid(`limit must be between 1 and ${most}`, "limit")
  return limit
}

/** Some rows of a sequence, read no further than needed. */
export const taken = <A>(rows: Iterable<A>, { offset, limit }: OffsetPage): ReadonlyArray<A> => {
  const out: Array<A> = []
  if (limit === 0) return out
  let place = 0
  for (const row of rows) {
    if (place++ < offset) continue
    out.push(row)
    if (out.length === limit) break
  }
  return out
}

/** What a route of the second generation answers with. */
export interface Answer {
  readonly data: unknown
  readonly pagination?: {
    readonly limit: number
    readonly offset: 0
    readonly has_more: boolean
    readonly next_cursor: string | null
  }
}

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export const decoded = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString())
  } catch {
    throw badCursor()
  }
}

export const badCursor = () => invalid("cursor is not valid", "cursor")

export const pageAnswer = <A>(
  /** One more than fits, if there is one. */
  rows: ReadonlyArray<A>,
  limit: number,
  show: (row: A) => unknown,
  cursorAfter: (row: A) => unknown,
): Answer => {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const has_more = rows.length > limit
  const next_cursor = has_more && last !== undefined ? encoded(cursorAfter(last)) : null
  return { data: shown.map(show), pagination: { limit, offset: 0, has_more, next_cursor } }
}

/** The row that a feed goes on after. */
export const feedCursorIn = (params: Params): number | undefined => {
  const cursor = params.text("cursor")
  if (cursor === undefined) return undefined
  const row = decoded(cursor)
  if (typeof row !== "number" || !Number.isSafeInteger(row) || row < 0) throw badCursor()
  return row
}
