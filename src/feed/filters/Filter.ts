import type { Usdc } from "#src/domain/amounts.ts"
import type { EventType } from "../model.ts"
import type { ComboFacets, Facets } from "./Facets.ts"

/** What a subscriber wants: every given dimension must match, and one value of a set is enough. */
export interface Filter<Type extends string = EventType> {
  readonly types: ReadonlySet<Type>
  readonly wallets?: ReadonlySet<string> | undefined
  readonly receivers?: ReadonlySet<string> | undefined
  readonly builders?: ReadonlySet<string> | undefined
  readonly tokens?: ReadonlySet<string> | undefined
  /** One set per source (ids, slugs): the event must match one condition of each. */
  readonly conditions: ReadonlyArray<ReadonlySet<string>>
  readonly eventSlugs?: ReadonlySet<string> | undefined
  readonly tags?: ReadonlySet<string> | undefined
  readonly leagues?: ReadonlySet<string> | undefined
  readonly games?: ReadonlySet<string> | undefined
  readonly side?: "BUY" | "SELL" | undefined
  /** Events without a status match too. */
  readonly status?: "pending" | "confirmed" | undefined
  readonly statusFrom?: string | undefined
  readonly statusTo?: string | undefined
  readonly minSize?: Usdc | undefined
  readonly maxSize?: Usdc | undefined
  readonly minAmount?: Usdc | undefined
  readonly minFee?: Usdc | undefined
  readonly minTotal?: Usdc | undefined
  readonly combo?: ComboFilter | undefined
}

export interface ComboFilter {
  readonly conditions?: ReadonlySet<string> | undefined
  readonly legs?: ReadonlySet<string> | undefined
  readonly events?: ReadonlySet<string> | undefined
  readonly modules?: ReadonlySet<number> | undefined
  readonly action?: string | undefined
  readonly direction?: string | undefined
}

/** An event as filters see it. */
export interface FilterableEvent<Type extends string = EventType> {
  readonly type: Type
  readonly facets: Facets
}

/** Reorganisations concern every subscriber of the type, whatever else its filter says. */
const unfiltered: ReadonlySet<string> = new Set<EventType>(["reorg"])

const none: ReadonlyArray<never> = []

const includes = <A>(wanted: ReadonlySet<A> | undefined, values: ReadonlyArray<A> = none): boolean =>
  wanted === undefined || values.some((value) => wanted.has(value))

const has = (wanted: ReadonlySet<string> | undefined, value: string | undefined): boolean =>
  wanted === undefined || (value !== undefined && wanted.has(value))

const equals = (wanted: string | undefined, value: string | undefined): boolean =>
  wanted === undefined || wanted === value

const isAtLeast = (min: Usdc | undefined, value: Usdc | undefined): boolean =>
  min === undefined || (value !== undefined && value >= min)

const isAtMost = (max: Usdc | undefined, value: Usdc | undefined): boolean =>
  max === undefined || (value !== undefined && value <= max)

const matchesCombo = (wanted: ComboFilter | undefined, combo: ComboFacets | undefined): boolean =>
  wanted === undefined ||
  (combo !== undefined &&
    includes(wanted.conditions, combo.conditions) &&
    includes(wanted.legs, combo.legs) &&
    includes(wanted.events, combo.events) &&
    includes(wanted.modules, combo.modules) &&
    equals(wanted.action, combo.action) &&
    equals(wanted.direction, combo.direction))

export const matches = <Type extends string>(
  filter: Filter<Type>,
  { type, facets }: FilterableEvent<Type>,
): boolean => {
  if (!filter.types.has(type)) return false
  if (unfiltered.has(type)) return true
  if (facets.onlyForWallet && filter.wallets === undefined) return false
  return (
    isAtLeast(filter.minAmount, facets.amount) &&
    isAtLeast(filter.minFee, facets.fee) &&
    isAtLeast(filter.minTotal, facets.total) &&
    isAtLeast(filter.minSize, facets.size) &&
    isAtMost(filter.maxSize, facets.size) &&
    equals(filter.side, facets.side) &&
    (facets.status === undefined || equals(filter.status, facets.status)) &&
    equals(filter.statusFrom, facets.statusFrom) &&
    equals(filter.statusTo, facets.statusTo) &&
    includes(filter.wallets, facets.wallets) &&
    has(filter.receivers, facets.receiver) &&
    has(filter.builders, facets.builder) &&
    includes(filter.tokens, facets.tokens) &&
    filter.conditions.every((wanted) => includes(wanted, facets.conditions)) &&
    includes(filter.eventSlugs, facets.eventSlugs) &&
    includes(filter.tags, facets.tags) &&
    includes(filter.leagues, facets.leagues) &&
    includes(filter.games, facets.games) &&
    matchesCombo(filter.combo, facets.combo)
  )
}
