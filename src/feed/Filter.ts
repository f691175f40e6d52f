import type { EventType, Facets, FeedMessage } from "./model.ts"

/** What somebody wants to hear of: all that is given must hold, and of each list one is enough. */
export interface Filter {
  readonly types: ReadonlySet<EventType>
  readonly wallets?: ReadonlySet<string> | undefined
  readonly tokens?: ReadonlySet<string> | undefined
  /** From ids and from slugs: the event must be about one condition of each. */
  readonly conditions: ReadonlyArray<ReadonlySet<string>>
  readonly side?: "BUY" | "SELL" | undefined
  readonly status?: "pending" | "confirmed" | undefined
  /** Dollars, in 10⁻⁶. */
  readonly minSize?: number | undefined
  readonly maxSize?: number | undefined
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

/** What concerns everybody who follows the chain, whatever they follow of it. */
const concernsAll: ReadonlySet<EventType> = new Set(["reorg"])

const hasOne = <A>(wanted: ReadonlySet<A> | undefined, given: ReadonlyArray<A>): boolean =>
  wanted === undefined || given.some((each) => wanted.has(each))

const isWithin = (size: number | undefined, { minSize, maxSize }: Filter): boolean =>
  (minSize === undefined || (size !== undefined && size >= minSize)) &&
  (maxSize === undefined || (size !== undefined && size <= maxSize))

const fitsCombo = (wanted: ComboFilter | undefined, { combo }: Facets): boolean =>
  wanted === undefined ||
  (combo !== undefined &&
    hasOne(wanted.conditions, combo.conditions) &&
    hasOne(wanted.legs, combo.legs) &&
    hasOne(wanted.events, combo.events) &&
    hasOne(wanted.modules, combo.modules) &&
    (wanted.action === undefined || wanted.action === combo.action) &&
    (wanted.direction === undefined || wanted.direction === combo.direction))

export const matches = (filter: Filter, { type, facets }: Pick<FeedMessage, "type" | "facets">): boolean => {
  if (!filter.types.has(type)) return false
  if (concernsAll.has(type)) return true
  if (facets.onlyForWallet && filter.wallets === undefined) return false
  return (
    hasOne(filter.wallets, facets.wallets) &&
    hasOne(filter.tokens, facets.tokens) &&
    filter.conditions.every((wanted) => hasOne(wanted, facets.conditions)) &&
    (filter.side === undefined || filter.side === facets.side) &&
    (filter.status === undefined || facets.status === undefined || filter.status === facets.status) &&
    isWithin(facets.size, filter) &&
    fitsCombo(filter.combo, facets)
  )
}
