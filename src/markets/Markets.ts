import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { BookCache } from "#src/books/BookCache.ts"
import type { Quote } from "#src/books/model.ts"
import { type Name, nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import type { ConditionId } from "#src/domain/ConditionId.ts"
import type { TokenId } from "#src/domain/TokenId.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { readHolders, type TopHolders } from "./HolderStore.ts"
import { type Read, readMarket, readMarketBySlug } from "./MarketStore.ts"
import { type ListedResolution, type ResolutionQuery, readResolutions } from "./ResolutionStore.ts"
import type { ShownMarket } from "./ShownMarket.ts"
import { readToken, type StoredToken } from "./TokenStore.ts"
import { priceOf, type TokenPrice } from "./tokenPrice.ts"

export interface PricedToken {
  readonly token: StoredToken
  readonly price: TokenPrice | undefined
}

/** Looks up tokens, conditions, holders and resolutions. A name that nothing knows fails. */
export class Markets extends Context.Service<
  Markets,
  {
    readonly token: (id: TokenId) => Effect.Effect<Read<PricedToken>, UnknownName | SqlError>
    readonly market: (condition: ConditionId) => Effect.Effect<Read<ShownMarket>, UnknownName | SqlError>
    readonly bySlug: (slug: string) => Effect.Effect<Read<ShownMarket>, UnknownName | SqlError>
    readonly holders: (condition: ConditionId, limit: number) => Effect.Effect<Read<TopHolders>, UnknownName | SqlError>
    /** A page and one more resolution, if there is one. */
    readonly resolutions: (
      query: ResolutionQuery,
    ) => Effect.Effect<Read<ReadonlyArray<ListedResolution>>, UnknownName | SqlError>
    /** The newest state of the ledger. */
    readonly asOf: Effect.Effect<AsOf | undefined, SqlError>
  }
>()("presage/markets/Markets") {
  static readonly layer = Layer.effect(
    Markets,
    Effect.gen(function* () {
      const { sql, reads, lookups } = yield* Postgres
      const books = yield* BookCache
      const names = nameStore(reads)

      const known = <A>({ found, asOf }: Read<A | undefined>, name: Name) =>
        found === undefined
          ? Effect.flatMap(names.unknown(name), Effect.fail)
          : Effect.succeed<Read<A>>({ found, asOf })
      /** Of a book that a shard follows; none if Redis is unavailable. */
      const quoteOf = (id: TokenId) =>
        Effect.map(
          Effect.orElseSucceed(books.quotes([id]), () => new Map<string, Quote>()),
          (quotes) => quotes.get(id),
        )

      return Markets.of({
        token: Effect.fn("Markets.token")(function* (id: TokenId) {
          const { found: token, asOf } = yield* known(yield* readToken(lookups, id), { kind: "token", value: id })
          const quote = token.isResolved ? undefined : yield* quoteOf(id)
          return { found: { token, price: priceOf(token, quote) }, asOf }
        }),
        market: Effect.fn("Markets.market")(function* (condition: ConditionId) {
          return yield* known(yield* readMarket(lookups, condition), { kind: "condition", value: condition })
        }),
        bySlug: Effect.fn("Markets.bySlug")(function* (slug: string) {
          return yield* known(yield* readMarketBySlug(lookups, slug), { kind: "market", value: slug })
        }),
        holders: Effect.fn("Markets.holders")(function* (condition: ConditionId, limit: number) {
          const read = yield* readHolders(sql, condition, limit)
          if (read.found.holders.length === 0) yield* names.check([{ kind: "condition", value: condition }])
          return read
        }),
        resolutions: Effect.fn("Markets.resolutions")(function* (query: ResolutionQuery) {
          const read = yield* readResolutions(sql, query)
          const { condition } = query
          if (read.found.length === 0 && condition !== undefined)
            yield* names.check([{ kind: "condition", value: condition }])
          return read
        }),
        asOf: Effect.withSpan(
          Effect.map(reads<AsOfRow>`${reads.literal(asOfSql)}`, ([row]) => asOfIn(row)),
          "Markets.asOf",
        ),
      })
    }),
  )
}
