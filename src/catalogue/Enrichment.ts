import { Clock, Context, Effect, Layer, Metric } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { enrichmentCache } from "./settings.ts"
import { type TokenInfo, tokenInfoStore } from "./TokenInfoStore.ts"

export type { TokenInfo } from "./TokenInfoStore.ts"

/** Names change rarely. A token without a market is new, and its market comes soon. */
const keptFor = { known: 300_000, unknown: 2_000 }

interface Kept {
  readonly info: TokenInfo | undefined
  readonly until: number
}

const lookups = (outcome: "hit" | "miss") =>
  Metric.counter("presage_enrichment_lookups_total", {
    description: "Tokens looked up for the names of their market, by whether memory had them",
    incremental: true,
    attributes: { outcome },
  })
const [hits, misses] = [lookups("hit"), lookups("miss")]

/** The names that belong to tokens, for everything that goes out. */
export class Enrichment extends Context.Service<
  Enrichment,
  {
    /** By the dictionary's numbers, those that are unknown left out. At most one query, however many there are. */
    readonly tokens: (ids: Iterable<number>) => Effect.Effect<ReadonlyMap<number, TokenInfo>, SqlError>
  }
>()("presage/catalogue/Enrichment") {
  static readonly layer = Layer.effect(
    Enrichment,
    Effect.gen(function* () {
      const capacity = (yield* Configuration).get(enrichmentCache)
      const load = tokenInfoStore(yield* Postgres)
      // Insertion order is the order of use: what was used is put back at the end.
      const kept = new Map<number, Kept>()

      const recall = (id: number, now: number): Kept | undefined => {
        const entry = kept.get(id)
        if (entry === undefined || entry.until <= now) return undefined
        kept.delete(id)
        kept.set(id, entry)
        return entry
      }
      const keep = (id: number, info: TokenInfo | undefined, now: number) => {
        kept.delete(id)
        kept.set(id, { info, until: now + (info === undefined ? keptFor.unknown : keptFor.known) })
        if (kept.size <= capacity) return
        const [oldest] = kept.keys()
        if (oldest !== undefined) kept.delete(oldest)
      }

      return Enrichment.of({
        tokens: Effect.fnUntraced(function* (ids) {
          const now = yield* Clock.currentTimeMillis
          const found = new Map<number, TokenInfo>()
          const missing: Array<number> = []
          for (const id of new Set(ids)) {
            const entry = recall(id, now)
            if (entry === undefined) missing.push(id)
            else if (entry.info !== undefined) found.set(id, entry.info)
          }
          yield* Metric.update(hits, found.size)
          if (missing.length === 0) return found
          yield* Metric.update(misses, missing.length)
          const loaded = yield* load(missing)
          for (const id of missing) {
            const info = loaded.get(id)
            keep(id, info, now)
            if (info !== undefined) found.set(id, info)
          }
          return found
        }),
      })
    }),
  )
}
