import type { WebhookId } from "../model.ts"
import { fits, type Wanted, wantedBy } from "./matches.ts"
import type { Facets, Watcher, Watchers } from "./model.ts"
import { Thresholds } from "./Thresholds.ts"

interface Filed {
  readonly watcher: Watcher
  readonly wanted: Wanted
}

/** What a watcher may be filed under, the rarest first. */
const dimensions = ["wallets", "receivers", "builders", "tokens", "conditions", "eventSlugs", "tags"] as const
type Dimension = (typeof dimensions)[number]

const amounts = ["amountUsd", "feeUsd", "totalUsd"] as const
type Amount = (typeof amounts)[number]

const given = (facets: Facets, dimension: Dimension): ReadonlyArray<string> => {
  if (dimension === "receivers") return facets.receiver === undefined ? [] : [facets.receiver]
  if (dimension === "builders") return facets.builder === undefined ? [] : [facets.builder]
  return facets[dimension]
}

const nobody: ReadonlySet<Watcher> = new Set()

/**
 * Finds whose filters an event fits. Each is filed under the rarest that it asks for, those who ask for nothing but an
 * amount under that, so that the cost grows with those who may match and not with all there are.
 */
export class WatcherIndex implements Watchers {
  readonly #all = new Map<WebhookId, Filed>()
  readonly #byKey: Readonly<Record<Dimension, Map<string, Set<Filed>>>> = {
    wallets: new Map(),
    receivers: new Map(),
    builders: new Map(),
    tokens: new Map(),
    conditions: new Map(),
    eventSlugs: new Map(),
    tags: new Map(),
  }
  readonly #byAmount: Readonly<Record<Amount, Thresholds<Filed>>> = {
    amountUsd: new Thresholds(),
    feeUsd: new Thresholds(),
    totalUsd: new Thresholds(),
  }
  readonly #others = new Set<Filed>()

  #version: object = {}

  /** Complete, because whoever asks for wallets is filed under them. */
  get wallets(): ReadonlyMap<string, unknown> {
    return this.#byKey.wallets
  }

  get version(): object {
    return this.#version
  }

  get size(): number {
    return this.#all.size
  }

  /** In the place of what was there of the same webhook. */
  set(watcher: Watcher): void {
    this.delete(watcher.id)
    const filed: Filed = { watcher, wanted: wantedBy(watcher.filters) }
    this.#all.set(watcher.id, filed)
    this.#version = {}
    const { dimension, amount } = this.#placeOf(filed)
    if (dimension !== undefined) {
      const byKey = this.#byKey[dimension]
      for (const key of filed.wanted[dimension] ?? []) {
        const there = byKey.get(key)
        if (there === undefined) byKey.set(key, new Set([filed]))
        else there.add(filed)
      }
    } else if (amount !== undefined) this.#byAmount[amount].add(filed.wanted[amount] ?? 0, filed)
    else this.#others.add(filed)
  }

  delete(id: WebhookId): void {
    const filed = this.#all.get(id)
    if (filed === undefined) return
    this.#all.delete(id)
    this.#version = {}
    const { dimension, amount } = this.#placeOf(filed)
    if (dimension !== undefined) {
      const byKey = this.#byKey[dimension]
      for (const key of filed.wanted[dimension] ?? []) {
        const there = byKey.get(key)
        if (there?.delete(filed) && there.size === 0) byKey.delete(key)
      }
    } else if (amount !== undefined) this.#byAmount[amount].remove(filed.wanted[amount] ?? 0, filed)
    else this.#others.delete(filed)
  }

  of(facets: Facets): ReadonlySet<Watcher> {
    let found: Set<Watcher> | undefined
    const consider = (filed: Filed) => {
      if (!fits(filed.wanted, facets)) return
      found ??= new Set()
      found.add(filed.watcher)
    }
    for (const dimension of dimensions) {
      const byKey = this.#byKey[dimension]
      if (byKey.size > 0) for (const key of given(facets, dimension)) byKey.get(key)?.forEach(consider)
    }
    for (const amount of amounts) this.#byAmount[amount].upTo(facets[amount], consider)
    this.#others.forEach(consider)
    return found ?? nobody
  }

  #placeOf({ wanted }: Filed): { readonly dimension: Dimension | undefined; readonly amount: Amount | undefined } {
    return {
      dimension: dimensions.find((dimension) => wanted[dimension] !== undefined),
      amount: amounts.find((amount) => wanted[amount] !== undefined),
    }
  }
}
