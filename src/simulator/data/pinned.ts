import { Params } from "./Params.ts"
import { type Answer, badCursor, decoded, limitIn, pageAnswer, secondLimits } from "./page.ts"
import { invalid } from "./refusal.ts"

/** The place of an item in an ordered list: falling by value, then rising by id. */
export interface Place {
  readonly value: number
  readonly id: number
}

/** A list whose cursors carry the query that they belong to. */
export interface PinnedQuery {
  readonly params: Params
  readonly limit: number
  /** Rows to pass over where there is no cursor. */
  readonly offset: number
  readonly after: Place | undefined
}

type Sent = ReadonlyArray<readonly [string, string]>

const isSent = (value: unknown): value is Sent =>
  Array.isArray(value) &&
  value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string"))

const sentBy = (params: Params): Sent => [...params.sent()].filter(([name]) => name !== "cursor")

/** What is sent along with a cursor must be what it was made for; its page size stays. */
export const pinnedQuery = (params: Params, limits = secondLimits): PinnedQuery => {
  const page = limitIn(params, limits)
  const cursor = params.text("cursor")
  if (cursor === undefined) return { params, ...page, after: undefined }
  const parts = decoded(cursor)
  if (!Array.isArray(parts)) throw badCursor()
  const [query, value, id]: ReadonlyArray<unknown> = parts
  if (!isSent(query) || typeof value !== "number" || typeof id !== "number") throw badCursor()
  for (const [name, text] of sentBy(params)) {
    if (name === "limit") continue
    if (!query.some((pair) => pair[0] === name && pair[1] === text)) {
      throw invalid(`${name} contradicts the cursor`, name)
    }
  }
  const pinned = new Params(new URLSearchParams(query.map(([name, text]): [string, string] => [name, text])))
  return { params: pinned, ...limitIn(pinned, limits), after: { value, id } }
}

const isAfter = (place: Place, seen: Place) =>
  place.value < seen.value || (place.value === seen.value && place.id > seen.id)

/** A page of a list that is in order of its places. What changes meanwhile neither repeats nor hides others. */
export const pinnedPage = <A>(
  { params, limit, offset, after }: PinnedQuery,
  items: ReadonlyArray<A>,
  placeOf: (item: A) => Place,
  show: (item: A) => unknown,
): Answer => {
  const first = after === undefined ? offset : items.findIndex((item) => isAfter(placeOf(item), after))
  const rows = first < 0 ? [] : items.slice(first, first + limit + 1)
  return pageAnswer(rows, limit, show, (item) => {
    const { value, id } = placeOf(item)
    return [sentBy(params), value, id]
  })
}
