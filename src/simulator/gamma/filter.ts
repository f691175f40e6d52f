import type { Tag } from "../world/model.ts"
import type { Query } from "./Query.ts"

export type Test<A> = (item: A) => boolean

/** All that a query asks of an item; what it does not mention costs nothing. */
export const allOf = <A>(tests: ReadonlyArray<Test<A> | undefined>): Test<A> => {
  const asked = tests.filter((test) => test !== undefined)
  return (item) => asked.every((test) => test(item))
}

/** Between `${name}_min` and `${name}_max`, both included. What has no value is outside. */
const within = <A>(
  min: number | undefined,
  max: number | undefined,
  of: (item: A) => number | undefined,
): Test<A> | undefined => {
  if (min === undefined && max === undefined) return undefined
  return (item) => {
    const value = of(item)
    return (
      value !== undefined && value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY)
    )
  }
}

export const between = <A>(query: Query, name: string, of: (item: A) => number): Test<A> | undefined =>
  within(query.number(`${name}_min`), query.number(`${name}_max`), of)

export const dated = <A>(query: Query, name: string, of: (item: A) => number | undefined): Test<A> | undefined =>
  within(query.moment(`${name}_min`), query.moment(`${name}_max`), of)

export const flagged = <A>(query: Query, name: string, of: Test<A>): Test<A> | undefined => {
  const wanted = query.flag(name)
  return wanted === undefined ? undefined : (item) => of(item) === wanted
}

export const oneOf = <A, K>(wanted: ReadonlyArray<K>, of: (item: A) => K): Test<A> | undefined => {
  if (wanted.length === 0) return undefined
  const set = new Set(wanted)
  return (item) => set.has(of(item))
}

/** `tag_id` and `tag_slug`, any of them or, with `tag_match=all`, all of them. */
export const tagged = <A>(query: Query, of: (item: A) => ReadonlyArray<Tag>): Test<A> | undefined => {
  const ids = query.wholes("tag_id").map(String)
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

export const untagged = <A>(query: Query, of: (item: A) => ReadonlyArray<Tag>): Test<A> | undefined => {
  const ids = query.wholes("exclude_tag_id").map(String)
  return ids.length === 0 ? undefined : (item) => !of(item).some(({ id }) => ids.includes(id))
}

/** By the first choice that a query makes: all that can be meant, in order of id. */
export const narrowed = <A extends { readonly index: number }>(
  choices: ReadonlyArray<readonly [keys: ReadonlyArray<string>, find: (key: string) => ReadonlyArray<A | undefined>]>,
): ReadonlyArray<A> | undefined => {
  const choice = choices.find(([keys]) => keys.length > 0)
  if (choice === undefined) return undefined
  const [keys, find] = choice
  const meant = new Set(keys.flatMap(find).filter((item) => item !== undefined))
  return [...meant].sort((a, b) => a.index - b.index)
}
