import type { Order, Ranked } from "./order.ts"
import type { Query } from "./Query.ts"
import { invalid } from "./refusal.ts"

const furthestOffset = 2_000

export interface PageSize {
  readonly usual: number
  readonly most: number
}

const limitOf = (query: Query, { usual, most }: PageSize): number => Math.min(query.whole("limit") ?? usual, most)

/** A part of a list by its place, as the older routes do. */
export const offsetPage = <A>(query: Query, list: ReadonlyArray<A>, size: PageSize): ReadonlyArray<A> => {
  const offset = query.whole("offset") ?? 0
  if (offset > furthestOffset) throw invalid(`offset must not exceed ${furthestOffset}`)
  return list.slice(offset, offset + limitOf(query, size))
}

const encode = ({ place, keys }: Ranked): string =>
  Buffer.from(JSON.stringify([place, ...keys.map((key) => key ?? null)])).toString("base64url")

const isKey = (value: unknown) => value === null || typeof value === "number" || typeof value === "string"

const decode = (cursor: string, size: number): Ranked => {
  try {
    const [place, ...keys]: ReadonlyArray<unknown> = JSON.parse(Buffer.from(cursor, "base64url").toString())
    if (typeof place === "number" && keys.length === size && keys.every(isKey)) {
      return { place, keys: keys.map((key) => (key ?? undefined) as Ranked["keys"][number]) }
    }
  } catch {}
  throw invalid("after_cursor is not valid")
}

export interface KeysetPage<A> {
  readonly items: ReadonlyArray<A>
  /** Missing at the end. */
  readonly next: string | undefined
}

/** A part of a list from after the last item seen, so that what changes meanwhile neither repeats nor skips others. */
export const keysetPage = <A extends { readonly index: number }>(
  query: Query,
  sorted: ReadonlyArray<A>,
  order: Order<A>,
  size: PageSize,
): KeysetPage<A> => {
  const limit = Math.max(1, limitOf(query, size))
  const cursor = query.text("after_cursor")
  const start = cursor === undefined ? 0 : firstAfter(sorted, decode(cursor, order.size), order)
  const items = sorted.slice(start, start + limit)
  const last = items.at(-1)
  const isEnd = last === undefined || start + limit >= sorted.length
  return { items, next: isEnd ? undefined : encode(order.rank(last, last.index)) }
}

const firstAfter = <A extends { readonly index: number }>(
  sorted: ReadonlyArray<A>,
  seen: Ranked,
  order: Order<A>,
): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = sorted[middle] as A
    if (order.compare(order.rank(item, item.index), seen) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

export const sortedBy = <A extends { readonly index: number }>(
  list: ReadonlyArray<A>,
  order: Order<A>,
): ReadonlyArray<A> => {
  if (order.isPlain) return list
  return list
    .map((item) => ({ item, rank: order.rank(item, item.index) }))
    .sort((a, b) => order.compare(a.rank, b.rank))
    .map(({ item }) => item)
}
