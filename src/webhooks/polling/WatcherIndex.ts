import { type Usdc, usdcOf } from "#src/domain/amounts.ts"
import type { Facets } from "#src/feed/filters/Facets.ts"
import type { Filter } from "#src/feed/filters/Filter.ts"
import { FilterIndex } from "#src/feed/filters/FilterIndex.ts"
import type { Filters, WebhookEventType, WebhookId } from "../model.ts"
import type { Watcher, Watchers } from "./model.ts"

/** An empty list filters nothing. */
const setOf = (list: ReadonlyArray<string> | undefined): ReadonlySet<string> | undefined =>
  list === undefined || list.length === 0 ? undefined : new Set(list)

const minimumOf = (dollars: number | undefined): Usdc | undefined =>
  dollars === undefined ? undefined : usdcOf(dollars)

const filterOf = (type: WebhookEventType, filters: Filters): Filter<WebhookEventType> => {
  const conditions = setOf(filters.condition_ids)
  return {
    types: new Set([type]),
    wallets: setOf(filters.wallet_addresses),
    receivers: setOf(filters.receiver_addresses),
    builders: setOf(filters.builder_codes),
    tokens: setOf(filters.token_ids),
    conditions: conditions === undefined ? [] : [conditions],
    eventSlugs: setOf(filters.event_slugs),
    tags: setOf(filters.tags),
    minAmount: minimumOf(filters.min_amount_usd),
    minFee: minimumOf(filters.min_fee_usd),
    minTotal: minimumOf(filters.min_total_usd),
    side: filters.side,
    statusFrom: filters.status_from,
    statusTo: filters.status_to,
  }
}

interface IndexedWatcher extends Watcher {
  readonly filter: Filter<WebhookEventType>
}

/** The webhooks of one event type, indexed by their filters. */
export class WatcherIndex implements Watchers {
  readonly #type: WebhookEventType
  readonly #byId = new Map<WebhookId, IndexedWatcher>()
  readonly #index = new FilterIndex<IndexedWatcher, WebhookEventType>()
  #version: object = {}

  constructor(type: WebhookEventType) {
    this.#type = type
  }

  get wallets(): ReadonlyMap<string, unknown> {
    return this.#index.wallets
  }

  get version(): object {
    return this.#version
  }

  get size(): number {
    return this.#byId.size
  }

  /** Adds a webhook, or replaces it. */
  set(watcher: Watcher): void {
    this.delete(watcher.id)
    const indexed = { ...watcher, filter: filterOf(this.#type, watcher.filters) }
    this.#byId.set(watcher.id, indexed)
    this.#index.add(indexed)
    this.#version = {}
  }

  delete(id: WebhookId): void {
    const indexed = this.#byId.get(id)
    if (indexed === undefined) return
    this.#byId.delete(id)
    this.#index.remove(indexed)
    this.#version = {}
  }

  matching(facets: Facets): ReadonlySet<Watcher> {
    return this.#index.matching({ type: this.#type, facets })
  }
}
