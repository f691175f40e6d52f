import type { Query } from "./Query.ts"
import { invalid } from "./refusal.ts"

export type Key = number | string | undefined

/** What a list can be sorted by. */
export type Fields<A> = Readonly<Record<string, (item: A) => Key>>

/** An item with what it is sorted by; the place settles ties, so that the order is total. */
export interface Ranked {
  readonly place: number
  readonly keys: ReadonlyArray<Key>
}

export interface Order<A> {
  readonly rank: (item: A, place: number) => Ranked
  readonly compare: (a: Ranked, b: Ranked) => number
  /** Sorted by nothing but the place, upwards. */
  readonly isPlain: boolean
  readonly size: number
}

const compareKeys = (a: Key, b: Key, sign: number): number => {
  if (a === b) return 0
  // What has no value comes last either way.
  if (a === undefined) return 1
  if (b === undefined) return -1
  return a < b ? -sign : sign
}

/** Sorting is by id upwards unless fields are named, and by named fields downwards unless told. */
export const orderOf = <A>(query: Query, fields: Fields<A>): Order<A> => {
  const names = (query.text("order") ?? "").split(",").flatMap((name) => name.trim() || [])
  const chosen = names.map((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw invalid("order fields are not valid")
    return field
  })
  const ascending = query.flag("ascending") ?? names.length === 0
  const sign = ascending ? 1 : -1
  return {
    rank: (item, place) => ({ place, keys: chosen.map((field) => field(item)) }),
    compare: (a, b) => {
      for (let i = 0; i < chosen.length; i++) {
        const difference = compareKeys(a.keys[i], b.keys[i], sign)
        if (difference !== 0) return difference
      }
      return (a.place - b.place) * sign
    },
    isPlain: names.length === 0 && ascending,
    size: chosen.length,
  }
}
