import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { ConflictingFilters } from "#src/catalogue/ConflictingFilters.ts"
import type { UnknownName } from "#src/catalogue/NameStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Figures } from "./Figures.ts"
import type { Kind } from "./model.ts"
import { eventsNamed, explainEmpty, marketsNamed, type NameFilter } from "./namesIn.ts"
import { type FigurePage, type ListedEvent, type ListedMarket, readEvents, readMarkets } from "./PageStore.ts"
import { type FigureFilter, type FigurePlace, type FigureSortName, select } from "./select.ts"

/** Nothing is counted yet. */
export class NotCounted extends Schema.TaggedError<NotCounted>()("NotCounted", {}) {}

export interface StatsQuery {
  readonly filter: NameFilter & Omit<FigureFilter, "events" | "scopes">
  readonly sort: FigureSortName
  readonly order: "desc" | "asc"
  readonly limit: number
  readonly offset: number
  readonly behind: FigurePlace | undefined
}

export interface StatsPage<A> extends Omit<FigurePage<A>, "version"> {
  /** Undefined at the end. */
  readonly next: FigurePlace | undefined
}

type Pages<A> = (
  query: StatsQuery,
) => Effect.Effect<StatsPage<A>, NotCounted | UnknownName | ConflictingFilters | SqlError>

/** Refreshes come every half minute; a page between two of them is read again. */
const tries = 3

/** Lists of markets and events by what is traded of them. All numbers of an answer are as of one block. */
export class MarketStats extends Context.Service<
  MarketStats,
  { readonly markets: Pages<ListedMarket>; readonly events: Pages<ListedEvent> }
>()("presage/market-stats/MarketStats") {
  static readonly layer = Layer.effect(
    MarketStats,
    Effect.gen(function* () {
      const { planned, reads } = yield* Postgres
      const figures = yield* Figures

      /** The rows that the names of a filter leave. */
      const narrowed = Effect.fnUntraced(function* (filter: StatsQuery["filter"], kind: Kind) {
        if (kind === "event") {
          const ids = yield* eventsNamed(reads, filter.slug)
          return { ...filter, scopes: ids?.map((id) => -id) } satisfies FigureFilter
        }
        const scopes = yield* marketsNamed(reads, filter)
        const events = yield* eventsNamed(reads, filter.event)
        return { ...filter, scopes, events: events && new Set(events) } satisfies FigureFilter
      })

      const pagesOf = <A>(
        kind: Kind,
        read: (scopes: ReadonlyArray<number>) => Effect.Effect<FigurePage<A> | undefined, SqlError>,
      ): Pages<A> =>
        Effect.fn(`MarketStats.${kind}s`)(function* ({ filter, sort, order, limit, offset, behind }) {
          const narrow = yield* narrowed(filter, kind)
          for (let version = 0n, left = tries; ; left--) {
            const loaded = yield* figures.atLeast(version)
            if (loaded === undefined) return yield* new NotCounted()
            const isUpcoming = sort === "ending_soonest" && narrow.endAfter === undefined
            const since = isUpcoming ? { endAfter: Math.floor(loaded.at.getTime() / 1000) } : {}
            const selection = { filter: { ...narrow, ...since }, sort, order, behind, count: offset + limit + 1 }
            const places = select(loaded.tables[kind], selection).slice(offset)
            const shown = places.slice(0, limit)
            const page = yield* read(shown.map(({ scope }) => scope))
            if (page === undefined) return yield* new NotCounted()
            if (page.version !== loaded.version && left > 1) {
              version = page.version
              continue
            }
            if (shown.length === 0 && behind === undefined) yield* explainEmpty(reads, filter, kind)
            const { asOf, isComplete, rows } = page
            return { asOf, isComplete, rows, next: places.length > limit ? shown.at(-1) : undefined }
          }
        })

      return MarketStats.of({
        markets: pagesOf("market", (scopes) => readMarkets(planned, scopes)),
        events: pagesOf("event", (scopes) => readEvents(planned, scopes)),
      })
    }),
  ).pipe(Layer.provide(Figures.layer))
}
