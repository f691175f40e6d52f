import { invalid, type Query } from "./Query.ts"

type SortKey = number | string | undefined

/** The fields a list can be sorted by. */
export type SortFields<A> = Readonly<Record<string, (item: A) => SortKey>>

/** The sort keys of an item. The index breaks ties. */
interface SortRank {
  readonly index: number
  readonly keys: ReadonlyArray<SortKey>
}

interface SortOrder<A> {
  readonly rank: (item: A, index: number) => SortRank
  readonly compare: (a: SortRank, b: SortRank) => number
  /** Ascending by index only. */
  readonly isPlain: boolean
  readonly size: number
}

const compareKeys = (a: SortKey, b: SortKey, sign: number): number => {
  if (a === b) return 0
  // Missing values come last in both directions.
  if (a === undefined) return 1
  if (b === undefined) return -1
  return a < b ? -sign : sign
}

/** The default is ascending by id; named fields sort descending by default. */
export const sortOrderIn = <A>(query: Query, fields: SortFields<A>): SortOrder<A> => {
  const names = (query.text("order") ?? "").split(",").flatMap((name) => name.trim() || [])
  const chosen = names.map((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw invalid("order fields are not valid")
    return field
  })
  const ascending = query.flag("ascending") ?? names.length === 0
  const sign = ascending ? 1 : -1
  return {
    rank: (item, index) => ({ index, keys: chosen.map((field) => field(item)) }),
    compare: (a, b) => {
      for (let i = 0; i < chosen.length; i++) {
        const difference = compareKeys(a.keys[i], b.keys[i], sign)
        if (difference !== 0) return difference
      }
      return (a.index - b.index) * sign
    },
    isPlain: names.length === 0 && ascending,
    size: chosen.length,
  }
}

const maxOffset = 2_000

export interface PageSize {
  readonly defaultLimit: number
  readonly maxLimit: number
}

const limitOf = (query: Query, { defaultLimit, maxLimit }: PageSize): number =>
  Math.min(query.integer("limit") ?? defaultLimit, maxLimit)

/** Offset paging, used by the older routes. */
export const offsetPage = <A>(query: Query, list: ReadonlyArray<A>, size: PageSize): ReadonlyArray<A> => {
  const offset = query.integer("offset") ?? 0
  if (offset > maxOffset) throw invalid(`offset must not exceed ${maxOffset}`)
  return list.slice(offset, offset + limitOf(query, size))
}

const encodeCursor = ({ index, keys }: SortRank): string =>
  Buffer.from(JSON.stringify([index, ...keys.map((key) => key ?? null)])).toString("base64url")

const isKey = (value: unknown) => value === null || typeof value === "number" || typeof value === "string"

const decodeCursor = (cursor: string, size: number): SortRank => {
  try {
    const [index, ...keys]: ReadonlyArray<unknown> = JSON.parse(Buffer.from(cursor, "base64url").toString())
    if (typeof index === "number" && keys.length === size && keys.every(isKey)) {
      return { index, keys: keys.map((key) => (key ?? undefined) as SortRank["keys"][number]) }
    }
  } catch {}
  throw invalid("after_cursor is not valid")
}

interface KeysetPage<A> {
  readonly items: ReadonlyArray<A>
  /** Undefined on the last page. */
  readonly next: string | undefined
}

/** Keyset paging: concurrent changes neither repeat nor skip other items. */
export const keysetPage = <A extends { readonly index: number }>(
  query: Query,
  sorted: ReadonlyArray<A>,
  order: SortOrder<A>,
  size: PageSize,
): KeysetPage<A> => {
  const limit = Math.max(1, limitOf(query, size))
  const cursor = query.text("after_cursor")
  const start = cursor === undefined ? 0 : firstAfter(sorted, decodeCursor(cursor, order.size), order)
  const items = sorted.slice(start, start + limit)
  const last = items.at(-1)
  const isEnd = last === undefined || start + limit >= sorted.length
  return { items, next: isEnd ? undefined : encodeCursor(order.rank(last, last.index)) }
}

const firstAfter = <A extends { readonly index: number }>(
  sorted: ReadonlyArray<A>,
  last: SortRank,
  order: SortOrder<A>,
): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = sorted[middle] as A
    if (order.compare(order.rank(item, item.index), last) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

export const sortItems = <A extends { readonly index: number }>(
  list: ReadonlyArray<A>,
  order: SortOrder<A>,
): ReadonlyArray<A> => {
  if (order.isPlain) return list
  return list
    .map((item) => ({ item, rank: order.rank(item, item.index) }))
    .sort((a, b) => order.compare(a.rank, b.rank))
    .map(({ item }) => item)
}
