import type { Filters } from "../model.ts"
import type { Facets } from "./model.ts"

/** Filters in the form in which they are compared: absent where there is nothing to compare, dollars in 10⁻⁶. */
export interface Wanted {
  readonly wallets: ReadonlySet<string> | undefined
  readonly receivers: ReadonlySet<string> | undefined
  readonly builders: ReadonlySet<string> | undefined
  readonly tokens: ReadonlySet<string> | undefined
  readonly conditions: ReadonlySet<string> | undefined
  readonly eventSlugs: ReadonlySet<string> | undefined
  readonly tags: ReadonlySet<string> | undefined
  readonly amountUsd: number | undefined
  readonly feeUsd: number | undefined
  readonly totalUsd: number | undefined
  readonly side: string | undefined
  readonly statusFrom: string | undefined
  readonly statusTo: string | undefined
}

/** An empty list asks for nothing in particular. */
const setOf = (list: ReadonlyArray<string> | undefined): ReadonlySet<string> | undefined =>
  list === undefined || list.length === 0 ? undefined : new Set(list)

/** Dollars in 10⁻⁶. */
export const microsOf = (dollars: number): number => Math.round(dollars * 1_000_000)

const threshold = (dollars: number | undefined): number | undefined =>
  dollars === undefined ? undefined : microsOf(dollars)

export const wantedBy = (filters: Filters): Wanted => ({
  wallets: setOf(filters.wallet_addresses),
  receivers: setOf(filters.receiver_addresses),
  builders: setOf(filters.builder_codes),
  tokens: setOf(filters.token_ids),
  conditions: setOf(filters.condition_ids),
  eventSlugs: setOf(filters.event_slugs),
  tags: setOf(filters.tags),
  amountUsd: threshold(filters.min_amount_usd),
  feeUsd: threshold(filters.min_fee_usd),
  totalUsd: threshold(filters.min_total_usd),
  side: filters.side,
  statusFrom: filters.status_from,
  statusTo: filters.status_to,
})

const hasOne = (wanted: ReadonlySet<string> | undefined, given: ReadonlyArray<string>): boolean =>
  wanted === undefined || given.some((each) => wanted.has(each))

const has = (wanted: ReadonlySet<string> | undefined, given: string | undefined): boolean =>
  wanted === undefined || (given !== undefined && wanted.has(given))

const isAtLeast = (least: number | undefined, given: number | undefined): boolean =>
  least === undefined || (given !== undefined && given >= least)

const is = (wanted: string | undefined, given: string | undefined): boolean => wanted === undefined || wanted === given

/** Whether an event is for somebody with these filters. */
export const fits = (wanted: Wanted, facets: Facets): boolean =>
  (!facets.onlyForWallet || wanted.wallets !== undefined) &&
  isAtLeast(wanted.amountUsd, facets.amountUsd) &&
  isAtLeast(wanted.feeUsd, facets.feeUsd) &&
  isAtLeast(wanted.totalUsd, facets.totalUsd) &&
  is(wanted.side, facets.side) &&
  is(wanted.statusFrom, facets.statusFrom) &&
  is(wanted.statusTo, facets.statusTo) &&
  hasOne(wanted.wallets, facets.wallets) &&
  has(wanted.receivers, facets.receiver) &&
  has(wanted.builders, facets.builder) &&
  hasOne(wanted.tokens, facets.tokens) &&
  hasOne(wanted.conditions, facets.conditions) &&
  hasOne(wanted.eventSlugs, facets.eventSlugs) &&
  hasOne(wanted.tags, facets.tags)
