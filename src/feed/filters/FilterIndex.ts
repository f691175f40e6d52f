import { usdc } from "#src/domain/amounts.ts"
import type { EventType } from "../model.ts"
import type { Facets } from "./Facets.ts"
import { type Filter, type FilterableEvent, matches } from "./Filter.ts"
import { Thresholds } from "./Thresholds.ts"

/** Dimensions an entry may be filed under, rarest first. */
const dimensions = [
  "wallets",
  "receivers",
  "builders",
  "tokens",
  "conditions",
  "eventSlugs",
  "tags",
  "games",
  "leagues",
] as const
type Dimension = (typeof dimensions)[number]

/** Without any of those, an entry is filed under its first minimum. */
const minimums = [
  { min: "minAmount", facet: "amount" },
  { min: "minFee", facet: "fee" },
  { min: "minTotal", facet: "total" },
] as const
type Minimum = (typeof minimums)[number]["min"]

const wantedKeys = (filter: Filter<string>, dimension: Dimension): ReadonlySet<string> | undefined =>
  dimension === "conditions" ? filter.conditions[0] : filter[dimension]

const fromOptional = (value: string | undefined): ReadonlyArray<string> => (value === undefined ? [] : [value])

const keysOf = (facets: Facets, dimension: Dimension): ReadonlyArray<string> => {
  if (dimension === "receivers") return fromOptional(facets.receiver)
  if (dimension === "builders") return fromOptional(facets.builder)
  return facets[dimension] ?? []
}

export interface Filtered<Type extends string = EventType> {
  readonly filter: Filter<Type>
}

type Buckets<A> = Map<string, Set<A>>
type Change = <A>(buckets: Buckets<A>, key: string, entry: A) => void

const addTo: Change = (buckets, key, entry) => {
  const bucket = buckets.get(key)
  if (bucket === undefined) buckets.set(key, new Set([entry]))
  else bucket.add(entry)
}

const removeFrom: Change = (buckets, key, entry) => {
  const bucket = buckets.get(key)
  if (bucket?.delete(entry) && bucket.size === 0) buckets.delete(key)
}

const noEntries: ReadonlySet<never> = new Set<never>()

/** Keys that are filed before the caller may do other work. */
const partKeys = 500

/**
 * Finds the entries whose filter matches an event. Each entry is filed under the rarest dimension of its filter, so the
 * cost grows with the entries that may match, not with all of them.
 */
export class FilterIndex<A extends Filtered<Type>, Type extends string = EventType> {
  readonly #byKey: Readonly<Record<Dimension, Buckets<A>>> = {
    wallets: new Map(),
    receivers: new Map(),
    builders: new Map(),
    tokens: new Map(),
    conditions: new Map(),
    eventSlugs: new Map(),
    tags: new Map(),
    games: new Map(),
    leagues: new Map(),
  }
  readonly #byMinimum: Readonly<Record<Minimum, Thresholds<A>>> = {
    minAmount: new Thresholds(),
    minFee: new Thresholds(),
    minTotal: new Thresholds(),
  }
  readonly #byType: Buckets<A> = new Map()

  /** Every wallet in any filter, because filters with wallets are filed under them. */
  get wallets(): ReadonlyMap<string, unknown> {
    return this.#byKey.wallets
  }

  add(entry: A): void {
    Array.from(this.adding(entry))
  }

  remove(entry: A): void {
    Array.from(this.removing(entry))
  }

  /** Adds in steps, each of which yields its number of keys. Until the last one, some events do not find the entry. */
  *adding(entry: A): Iterable<number> {
    const minimum = yield* this.#file(entry, addTo)
    if (minimum !== undefined) this.#byMinimum[minimum].add(entry.filter[minimum] ?? usdc(0), entry)
  }

  /** Removes in steps, each of which yields its number of keys. Until the last one, some events still find the entry. */
  *removing(entry: A): Iterable<number> {
    const minimum = yield* this.#file(entry, removeFrom)
    if (minimum !== undefined) this.#byMinimum[minimum].remove(entry.filter[minimum] ?? usdc(0), entry)
  }

  /** Entries whose filter matches, each once. */
  matching(event: FilterableEvent<Type>): ReadonlySet<A> {
    const { type, facets } = event
    let found: Set<A> | undefined
    const consider = (entry: A) => {
      if (found?.has(entry) || !matches(entry.filter, event)) return
      found ??= new Set()
      found.add(entry)
    }
    for (const dimension of dimensions) {
      const buckets = this.#byKey[dimension]
      if (buckets.size > 0) for (const key of keysOf(facets, dimension)) buckets.get(key)?.forEach(consider)
    }
    for (const { min, facet } of minimums) this.#byMinimum[min].upTo(facets[facet], consider)
    this.#byType.get(type)?.forEach(consider)
    return found ?? noEntries
  }

  /** Changes every bucket of an entry, or returns the minimum that it is filed under instead. */
  *#file(entry: A, change: Change): Generator<number, Minimum | undefined> {
    const { filter } = entry
    // Reorganisations reach every subscriber of the type, however it is filed.
    if ((filter.types as ReadonlySet<string>).has("reorg")) change(this.#byType, "reorg", entry)
    const dimension = dimensions.find((name) => wantedKeys(filter, name) !== undefined)
    if (dimension !== undefined) {
      let filed = 0
      for (const key of wantedKeys(filter, dimension) ?? []) {
        change(this.#byKey[dimension], key, entry)
        if (++filed % partKeys === 0) yield partKeys
      }
      return undefined
    }
    const minimum = minimums.find(({ min }) => filter[min] !== undefined)?.min
    if (minimum === undefined) for (const type of filter.types) change(this.#byType, type, entry)
    return minimum
  }
}
