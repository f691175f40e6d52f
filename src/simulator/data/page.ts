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

/** Of a list that goes on by cursor. */
export interface Limits {
  readonly usual: number
  readonly most: number
  /** Where an offset may begin instead of a cursor; undefined refuses any. */
  readonly furthest: number | undefined
}

export const secondLimits: Limits = { usual: 100, most: 1_000, furthest: undefined }

/** The few lists of the first generation that have cursors. */
export const firstLimits = {
  comboPositions: { usual: 20, most: 1_000, furthest: 100_000 },
  comboActivity: { usual: 50, most: 500, furthest: 10_000 },
} as const satisfies Readonly<Record<string, Limits>>

const offsetIn = (params: Params, furthest: number | undefined): number => {
  if (params.text("offset") === undefined) return 0
  if (furthest === undefined) throw invalid("offset is not supported, use cursor", "offset")
  const offset = params.whole("offset") ?? 0
  if (offset > furthest) throw invalid(`offset must be at most ${furthest}`, "offset")
  // A cursor knows where it goes on.
  return params.text("cursor") === undefined ? offset : 0
}

/** Too large a limit is refused here. */
export const limitIn = (params: Params, { usual, most, furthest } = secondLimits): OffsetPage => {
  const offset = offsetIn(params, furthest)
  const limit = params.whole("limit") ?? usual
  if (limit < 1 || limit > most) throw invalid(`limit must be between 1 and ${most}`, "limit")
  return { offset, limit }
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
