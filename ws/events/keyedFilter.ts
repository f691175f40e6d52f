import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Filter } from "#src/feed/filters/Filter.ts"
import { itemsTurn, partItems } from "../channel/turns.ts"
import type { KeyedFilter } from "./SubscriberIndex.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url")

/** All sets of a filter. */
const setsOf = (filter: Filter): ReadonlyArray<ReadonlySet<unknown>> =>
  [...Object.values(filter), ...filter.conditions, ...Object.values(filter.combo ?? {})].filter(
    (value) => value instanceof Set,
  )

/** Adds the key, which is the same for equal filters. Sets are sorted, large ones in turns of their own. */
export const keyedFilter = Effect.fnUntraced(function* (filter: Filter) {
  const digests = new Map<unknown, string>()
  for (const set of setsOf(filter)) {
    if (set.size <= partItems) continue
    yield* itemsTurn(set.size)
    digests.set(set, sha256(JSON.stringify([...set].sort())))
  }
  const canonical = (_name: string, value: unknown): unknown =>
    value instanceof Set ? (digests.get(value) ?? [...value].sort()) : value
  return { filter, key: sha256(JSON.stringify(filter, canonical)) } satisfies KeyedFilter
})

/** Besides its characters, what an item costs in a set and in the index. */
const itemBytes = 200

/** About the memory that a filter takes. */
export const filterBytes = (filter: Filter): number => {
  let bytes = 0
  for (const set of setsOf(filter)) for (const item of set) bytes += itemBytes + String(item).length
  return bytes
}
