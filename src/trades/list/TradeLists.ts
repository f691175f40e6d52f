import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import { type Name, type NameKind, nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { TooManyToSort, TradeFilter, TradePage, TradeQuery } from "./model.ts"
import { findIds, readPage } from "./TradeListStore.ts"

/** The names of a filter that may not exist, by their parameters. */
const namesIn = ({ tokenId, conditionId, marketSlug, eventSlug }: TradeFilter) => {
  const named = (parameter: string, kind: NameKind, value: string | undefined) =>
    value === undefined ? [] : [{ parameter, name: { kind, value } satisfies Name }]
  return [
    ...named("token_id", "token", tokenId),
    ...named("condition_id", "condition", conditionId),
    ...named("market_slug", "market", marketSlug),
    ...named("event_slug", "event", eventSlug),
  ]
}

/** The names of a filter that no tokens are looked up by. */
const scopesIn = ({ category, tagSlug }: TradeFilter): ReadonlyArray<Name> => [
  ...(category === undefined ? [] : [{ kind: "category", value: category } as const]),
  ...(tagSlug === undefined ? [] : [{ kind: "tag", value: tagSlug } as const]),
]

/** Lists of fills, newest or oldest first. */
export class TradeLists extends Context.Service<
  TradeLists,
  {
    /** A filter that names something unknown fails, and so does one whose names exclude each other. */
    readonly page: (
      query: TradeQuery,
    ) => Effect.Effect<TradePage, UnknownName | ConflictingFilters | TooManyToSort | SqlError>
  }
>()("presage/trades/TradeLists") {
  static readonly layer = Layer.effect(
    TradeLists,
    Effect.gen(function* () {
      const { sql, reads } = yield* Postgres
      const names = nameStore(reads)
      const explainEmpty = Effect.fnUntraced(function* (filter: TradeFilter) {
        const given = namesIn(filter)
        yield* names.check(given.map(({ name }) => name))
        if (filter.eventId !== undefined) yield* names.checkEvent(filter.eventId)
        const parameters = [
          ...given.map(({ parameter }) => parameter),
          ...(filter.eventId === undefined ? [] : ["event_id"]),
        ]
        if (parameters.length > 1) return yield* new ConflictingFilters({ parameters })
      })
      return TradeLists.of({
        page: Effect.fn("TradeLists.page")(function* (query: TradeQuery) {
          const ids = yield* findIds(reads, query.filter)
          if (ids.tokens?.length === 0) yield* explainEmpty(query.filter)
          yield* names.check(scopesIn(query.filter))
          return yield* readPage(sql, query, ids)
        }),
      })
    }),
  )
}
