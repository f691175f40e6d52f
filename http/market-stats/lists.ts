import { Effect } from "effect"
import type { StatsPage, StatsQuery } from "#src/market-stats/MarketStats.ts"
import { CachedAnswers, type RawRequest } from "../caching/CachedAnswers.ts"
import type { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { listResponse, type Row } from "../v3/answer.ts"
import { chooseFormat } from "../v3/formats.ts"
import { listAnswers, type PageParameters } from "../v3/pages.ts"
import { defaultSort, type GivenFilters } from "./parameters.ts"
import { filterOf, placeIn, positionOf, refusal, refusedRange } from "./translate.ts"

const lifetime = { freshFor: 10_000, staleFor: 600_000 }

type Given = PageParameters & GivenFilters
type ListRequest = RawRequest & { readonly query: Given }

/** Rows of a list, and how they are read and shown. */
interface StatsList<A> {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly read: (query: StatsQuery) => Effect.Effect<StatsPage<A>, Parameters<typeof refusal>[0]>
  readonly show: (row: A) => Row
}

const isJson = (accept: string | undefined) => chooseFormat(accept) === "json"

/** Makes handlers of lists. */
export const statsLists = Effect.gen(function* () {
  const answers = yield* CachedAnswers
  const listed = yield* listAnswers

  const pageOf = <A>({ name, columns, read, show }: StatsList<A>, given: Given) =>
    listed(
      { list: name, key: "data", columns, covers: "facts" },
      given,
      ({ behind, ...page }, { sort = defaultSort, ...filters }) =>
        Effect.gen(function* () {
          const refused = refusedRange(filters)
          if (refused !== undefined) return yield* refused
          const query = { ...page, sort, filter: filterOf(filters), behind: placeIn(behind) }
          const { rows, next, asOf, isComplete } = yield* Effect.catch(read(query), refusal)
          return {
            rows: rows.map(show),
            next: next && positionOf(next),
            asOf,
            more: { windows_complete: isComplete },
          }
        }),
    )

  /** JSON is the same for everybody and cached; other formats are read. */
  return <A>(list: StatsList<A>) => {
    const cached = answers.handler<ListRequest, object, BadInput | NotFound | Unavailable>({
      name: list.name,
      ...lifetime,
      accepts: isJson,
      key: ({ query }) => JSON.stringify(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))),
      load: ({ query }) =>
        Effect.map(pageOf(list, query), ({ key, rows, rest, asOf }) => ({
          value: { [key]: rows, ...rest },
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
})
