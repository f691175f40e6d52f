import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { type MatchMode, matchOf } from "#src/search/question.ts"
import { Search, type SearchPlace, type SearchQuery } from "#src/search/Search.ts"
import type { Read } from "./MarketStore.ts"
import type { ShownMarket } from "./ShownMarket.ts"
import { readMarkets } from "./TagMarketStore.ts"

export interface FoundMarket extends ShownMarket {
  readonly match: MatchMode
}

export interface FoundMarkets {
  readonly markets: ReadonlyArray<FoundMarket>
  readonly next: SearchPlace | undefined
}

/** Finds markets by the words of their questions, slugs, events and outcomes. */
export class MarketSearch extends Context.Service<
  MarketSearch,
  { readonly page: (query: Omit<SearchQuery, "kind">) => Effect.Effect<Read<FoundMarkets>, SqlError> }
>()("presage/markets/MarketSearch") {
  static readonly layer = Layer.effect(
    MarketSearch,
    Effect.gen(function* () {
      const { planned } = yield* Postgres
      const search = yield* Search
      return MarketSearch.of({
        page: Effect.fn("MarketSearch.page")(function* (query) {
          const { hits, next } = yield* search.find({ ...query, kind: "market" })
          const { found, asOf } = yield* readMarkets(
            planned,
            hits.map(({ id }) => id),
          )
          const markets = found.map((market, i) => ({ ...market, match: matchOf(hits[i]?.stage ?? 0) }))
          return { found: { markets, next }, asOf }
        }),
      })
    }),
  ).pipe(Layer.provide(Search.layer))
}
