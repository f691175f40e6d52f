import { Effect, type Schema } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { MarketStats, type StatsPage, type StatsQuery } from "#src/market-stats/MarketStats.ts"
import { Api } from "../Api.ts"
import { CachedAnswers, type RawRequest } from "../caching/CachedAnswers.ts"
import type { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { chooseFormat } from "../trades/exportFormats.ts"
import { listResponse, type Row } from "../v3/answer.ts"
import { listAnswers, type PageParameters } from "../v3/pages.ts"
import { defaultSort, type GivenFilters } from "./parameters.ts"
import * as shapes from "./shapes.ts"
import * as translate from "./translate.ts"

const lifetime = { freshFor: 10_000, staleFor: 600_000 }

type Given = PageParameters & GivenFilters
type ListRequest = RawRequest & { readonly query: Given }

/** Rows of a list, and how they are read and shown. */
interface List<A, Body> {
  readonly name: string
  readonly schema: Schema.Codec<Body, unknown>
  readonly columns: ReadonlyArray<string>
  readonly read: (query: StatsQuery) => Effect.Effect<StatsPage<A>, Parameters<typeof translate.refusal>[0]>
  readonly show: (row: A) => Row
}

const isJson = (accept: string | undefined) => chooseFormat(accept) === "json"

export const MarketStatsHandlers = HttpApiBuilder.group(
  Api,
  "marketStats",
  Effect.fnUntraced(function* (handlers) {
    const stats = yield* MarketStats
    const answers = yield* CachedAnswers
    const listed = yield* listAnswers

    const pageOf = <A, Body>({ columns, read, show }: List<A, Body>, given: Given) =>
      listed(
        { key: "data", columns, covers: "facts" },
        given,
        ({ behind, ...page }, { sort = defaultSort, ...filters }) =>
          Effect.gen(function* () {
            const refused = translate.refusedRange(filters)
            if (refused !== undefined) return yield* refused
            const query = { ...page, sort, filter: translate.filterOf(filters), behind: translate.placeIn(behind) }
            const { rows, next, asOf, isComplete } = yield* Effect.catch(read(query), translate.refusal)
            return {
              rows: rows.map(show),
              next: next && translate.positionOf(next),
              asOf,
              more: { windows_complete: isComplete },
            }
          }),
      )

    /** JSON is the same for everybody and cached; other formats are read. */
    const handler = <A, Body>(list: List<A, Body>) => {
      const cached = answers.handler<ListRequest, Body, BadInput | NotFound | Unavailable>({
        name: list.name,
        schema: list.schema,
        ...lifetime,
        accepts: isJson,
        key: ({ query }) => JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))),
        load: ({ query }) =>
          Effect.map(pageOf(list, query), ({ key, rows, rest, asOf }) => ({
            value: { [key]: rows, ...rest } as Body,
            dataAt: asOf?.at.getTime(),
          })),
      })
      return (raw: ListRequest) => {
        const accept = raw.request.headers["accept"]
        return isJson(accept)
          ? cached(raw)
          : Effect.map(pageOf(list, raw.query), (answer) => listResponse(accept, answer))
      }
    }

    return handlers
      .handleRaw(
        "markets",
        handler({
          name: "markets",
          schema: shapes.MarketList,
          columns: Object.keys(shapes.ListedMarket.fields),
          read: stats.markets,
          show: translate.shownListedMarket,
        }),
      )
      .handleRaw(
        "marketStats",
        handler({
          name: "market-stats",
          schema: shapes.MarketStatsList,
          columns: Object.keys(shapes.MarketStats.fields),
          read: stats.markets,
          show: translate.shownMarketStats,
        }),
      )
      .handleRaw(
        "events",
        handler({
          name: "events",
          schema: shapes.EventList,
          columns: Object.keys(shapes.ListedEvent.fields),
          read: stats.events,
          show: translate.shownListedEvent,
        }),
      )
      .handleRaw(
        "eventStats",
        handler({
          name: "event-stats",
          schema: shapes.EventStatsList,
          columns: Object.keys(shapes.EventStats.fields),
          read: stats.events,
          show: translate.shownEventStats,
        }),
      )
  }),
)
