import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import { nameStore, type UnknownName } from "#src/catalogue/NameStore.ts"
import { makeSharedWork } from "#src/platform/process/sharedWork.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Read } from "./MarketStore.ts"
import type { ShownMarket } from "./ShownMarket.ts"
import { type RankedMarket, rankMarkets, readMarkets, type TagMarketSort } from "./TagMarketStore.ts"

/** Where a page begins: behind a market, in the part of the ranking that begins behind another. */
export interface TagPlace {
  readonly part: RankedMarket | undefined
  readonly last: RankedMarket
}

export interface TagQuery {
  readonly tag: string
  readonly sort: TagMarketSort
  readonly limit: number
  readonly offset: number
  readonly behind: TagPlace | undefined
}

export interface TagPage {
  readonly markets: ReadonlyArray<ShownMarket>
  /** Undefined at the end. */
  readonly next: TagPlace | undefined
}

/** More than any offset and limit reach. */
const marketsPerPart = 10_500

const keptFor = Duration.minutes(5)

interface PartKey {
  readonly tag: string
  readonly sort: TagMarketSort
  readonly part: RankedMarket | undefined
}

interface RankedPage {
  readonly shown: ReadonlyArray<RankedMarket>
  readonly next: TagPlace | undefined
}

const isBehind = (market: RankedMarket, last: RankedMarket) =>
  market.value < last.value || (market.value === last.value && market.id < last.id)

/**
 * The markets of a tag by volume or liquidity. A tag can have most markets of the venue, so its ranking is kept for five
 * minutes, in parts. What pages show of each market is current.
 */
export class TagMarkets extends Context.Service<
  TagMarkets,
  { readonly page: (query: TagQuery) => Effect.Effect<Read<TagPage>, UnknownName | SqlError> }
>()("presage/markets/TagMarkets") {
  static readonly layerOf = (perPart: number) =>
    Layer.effect(
      TagMarkets,
      Effect.gen(function* () {
        const { sql, reads, planned } = yield* Postgres
        const names = nameStore(reads)
        const shared = yield* makeSharedWork
        const parts = yield* Cache.makeWith<PartKey, ReadonlyArray<RankedMarket>, SqlError>(
          ({ tag, sort, part }) => rankMarkets(sql, tag, sort, part, perPart),
          { capacity: 20, timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : 0) },
        )

        /** The markets of a page, and where the next one begins. */
        const rankedPage = ({ tag, sort, limit, offset, behind }: TagQuery): Effect.Effect<RankedPage, SqlError> =>
          Effect.flatMap(shared(Cache.get(parts, { tag, sort, part: behind?.part })), (ranked) => {
            const first = behind === undefined ? 0 : ranked.findIndex((market) => isBehind(market, behind.last))
            const from = (first < 0 ? ranked.length : first) + offset
            const isWhole = ranked.length < perPart
            const end = ranked.at(-1)
            if (from >= ranked.length && !isWhole && end !== undefined) {
              const nextPart = { part: end, last: end }
              return rankedPage({ tag, sort, limit, offset: from - ranked.length, behind: nextPart })
            }
            const shown = ranked.slice(from, from + limit)
            const last = shown.at(-1)
            const isAtEnd = isWhole && from + limit >= ranked.length
            return Effect.succeed({ shown, next: last && !isAtEnd ? { part: behind?.part, last } : undefined })
          })

        return TagMarkets.of({
          page: Effect.fn("TagMarkets.page")(function* (query: TagQuery) {
            const { shown, next } = yield* rankedPage(query)
            if (shown.length === 0) yield* names.check([{ kind: "tag", value: query.tag }])
            const ids = shown.map(({ id }) => id)
            const { found: markets, asOf } = yield* readMarkets(planned, ids)
            return { found: { markets, next }, asOf }
          }),
        })
      }),
    )

  static readonly layer = TagMarkets.layerOf(marketsPerPart)
}
