import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { type NameKind, nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import { type HistoryIncomplete, historyGuard } from "#src/ledger/historyIsComplete.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { namesIn, type PositionFilter } from "../PositionFilter.ts"
import { walletCombos } from "../walletCombos.ts"
import { legAdder } from "./comboLegs.ts"
import { type PositionPage, type PositionQuery, TooBroad } from "./model.ts"
import { findIds, onlyCombos, readPage } from "./PositionPageStore.ts"

const parameterOf: Readonly<Record<NameKind, string>> = {
  category: "category",
  tag: "tag_slug",
  market: "market_slug",
  event: "event_slug",
  condition: "condition_id",
  token: "token_id",
}

/** Sorted pages of positions, of one wallet, of markets or of everybody; available once the history is complete. */
export class PositionPages extends Context.Service<
  PositionPages,
  {
    /** A filter that names something unknown fails, and so does one whose names exclude each other. */
    readonly page: (
      query: PositionQuery,
    ) => Effect.Effect<PositionPage, UnknownName | ConflictingFilters | TooBroad | HistoryIncomplete | SqlError>
  }
>()("presage/positions/PositionPages") {
  static readonly layer = Layer.effect(
    PositionPages,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const names = nameStore(reads)
      const historyIsIn = historyGuard(reads)
      const withLegs = legAdder(reads, yield* Enrichment)
      const explainEmpty = Effect.fnUntraced(function* (filter: PositionFilter) {
        const given = namesIn(filter)
        yield* names.check(given)
        if (given.length > 1)
          return yield* new ConflictingFilters({ parameters: given.map(({ kind }) => parameterOf[kind]) })
      })
      return PositionPages.of({
        page: Effect.fn("PositionPages.page")(function* (query: PositionQuery) {
          const { wallet, filter, sort } = query
          const given = namesIn(filter)
          if (wallet === undefined && given.length === 0 && sort !== "recent") return yield* new TooBroad({ sort })
          yield* historyIsIn
          const named = yield* findIds(reads, query)
          const ids =
            query.onlyCombos === true ? onlyCombos(named, yield* walletCombos(reads, named.wallet ?? 0)) : named
          if (named.tokens?.length === 0) yield* explainEmpty(filter)
          const { shown, next, asOf } = yield* readPage(sql, query, ids)
          if (shown.length === 0 && next === undefined) yield* names.check(given)
          return { positions: yield* withLegs(shown), next, asOf }
        }),
      })
    }),
  )
}
