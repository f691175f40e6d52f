import type { Tag } from "../world/model.ts"
import type { Query } from "./Query.ts"

export type Predicate<A> = (item: A) => boolean

/** True when all given predicates hold. */
export const allOf = <A>(predicates: ReadonlyArray<Predicate<A> | undefined>): Predicate<A> => {
  const given = predicates.filter((predicate) => predicate !== undefined)
  return (item) => given.every((predicate) => predicate(item))
}

/** Between `min` and `max`, inclusive. A missing value does not match. */
const within = <A>(
  min: number | undefined,
  max: number | undefined,
  of: (item: A) => number | undefined,
): Predicate<A> | undefined => {
  if (min === undefined && max === undefined) return undefined
  return (item) => {
    const value = of(item)
    return (
      value !== undefined && value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY)
    )
  }
}

export const between = <A>(query: Query, name: string, of: (item: A) => number): Predicate<A> | undefined =>
  within(query.number(`${name}_min`), query.number(`${name}_max`), of)

export const timeBetween = <A>(
  query: Query,
  name: string,
  of: (item: A) => number | undefined,
): Predicate<A> | undefined => within(query.time(`${name}_min`), query.time(`${name}_max`), of)

export const flagged = <A>(query: Query, name: string, of: Predicate<A>): Predicate<A> | undefined => {
  const expected = query.flag(name)
  return expected === undefined ? undefined : (item) => of(item) === expected
}

export const oneOf = <A, K>(values: ReadonlyArray<K>, of: (item: A) => K): Predicate<A> | undefined => {
  if (values.length === 0) return undefined
  const set = new Set(values)
  return (item) => set.has(of(item))
}

/** Matches any of `tag_id` and `tag_slug`, or all of them with `tag_match=all`. */
export const tagged = <A>(query: Query, of: (item: A) => ReadonlyArray<Tag>): Predicate<A> | undefined => {
  const ids = query.integers("tag_id").map(String)
  const slugs = query.texts("tag_slug")
  const all = query.oneOf("tag_match", ["any", "all"]) === "all"
  if (ids.length + slugs.length === 0) return undefined
  return (item) => {
    const tags = of(item)
    const hasId = (id: string) => tags.some((tag) => tag.id === id)
    const hasSlug = (slug: string) => tags.some((tag) => tag.slug === slug)
    return all ? ids.every(hasId) && slugs.every(hasSlug) : ids.some(hasId) || slugs.some(hasSlug)
  }
}

export const untagged = <A>(query: Query, of: (item: A) => ReadonlyArray<Tag>): Predicate<A> | undefined => {
  const ids = query.integers("exclude_tag_id").map(String)
  return ids.length === 0 ? undefined : (item) => !of(item).some(({ id }) => ids.includes(id))
}

/** Candidates from the first lookup whose keys the query has, in order of id; undefined for none. */
export const lookupCandidates = <A extends { readonly index: number }>(
  lookups: ReadonlyArray<readonly [keys: ReadonlyArray<string>, find: (key: string) => ReadonlyArray<A | undefined>]>,
): ReadonlyArray<A> | undefined => {
  const lookup = lookups.find(([keys]) => keys.length > 0)
  if (lookup === undefined) return undefined
  const [keys, find] = lookup
  const found = new Set(keys.flatMap(find).filter((item) => item !== undefined))
  return [...found].sort((a, b) => a.index - b.index)
}
