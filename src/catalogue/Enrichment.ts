import { Clock, Context, Effect, Layer, Metric } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { LRUCache } from "lru-cache"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { enrichmentCache } from "./settings.ts"
import type { TokenInfo } from "./TokenInfoStore.ts"
import * as TokenInfoStore from "./TokenInfoStore.ts"

export type { TokenInfo } from "./TokenInfoStore.ts"

/** Names change rarely. A token without a market is new, and its market is listed soon. */
const ttlMillis = { known: 300_000, unknown: 2_000 }

interface CacheEntry {
  readonly info: TokenInfo | undefined
  readonly until: number
}

const lookups = (outcome: "hit" | "miss") =>
  Metric.counter("presage_enrichment_lookups_total", {
    description: "Token lookups in the enrichment cache, by hit or miss",
    incremental: true,
    attributes: { outcome },
  })
const [hits, misses] = [lookups("hit"), lookups("miss")]

/** Markets and events of tokens, from a cache. */
export class Enrichment extends Context.Service<
  Enrichment,
  {
    /** By dictionary id; unknown tokens are left out. Runs at most one query. */
    readonly tokens: (ids: Iterable<number>) => Effect.Effect<ReadonlyMap<number, TokenInfo>, SqlError>
  }
>()("presage/catalogue/Enrichment") {
  static readonly layer = Layer.effect(
    Enrichment,
    Effect.gen(function* () {
      const capacity = (yield* Configuration).get(enrichmentCache)
      const { reads } = yield* Postgres
      const cache = new LRUCache<number, CacheEntry>({ max: capacity })

      return Enrichment.of({
        tokens: Effect.fnUntraced(function* (ids) {
          const now = yield* Clock.currentTimeMillis
          const found = new Map<number, TokenInfo>()
          const missing: Array<number> = []
          for (const id of new Set(ids)) {
            const entry = cache.get(id)
            if (entry === undefined || entry.until <= now) missing.push(id)
            else if (entry.info !== undefined) found.set(id, entry.info)
          }
          yield* Metric.update(hits, found.size)
          if (missing.length === 0) return found
          yield* Metric.update(misses, missing.length)
          const loaded = yield* TokenInfoStore.load(reads, missing)
          for (const id of missing) {
            const info = loaded.get(id)
            cache.set(id, { info, until: now + (info === undefined ? ttlMillis.unknown : ttlMillis.known) })
            if (info !== undefined) found.set(id, info)
          }
          return found
        }),
      })
    }),
  )
}
