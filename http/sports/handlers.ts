import { Clock, Effect } from "effect"
import * as HttpServerResponse from "effect/unstable/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Leagues } from "#src/sports/Leagues.ts"
import { Listings } from "#src/sports/Listings.ts"
import { marketTypeOf } from "#src/sports/marketTypes.ts"
import { type Sourced, UnknownSport } from "#src/sports/model.ts"
import { SportsSearch } from "#src/sports/Sports.ts"
import { Api } from "../Api.ts"
import { gatewayAddress } from "../server/gatewayAddress.ts"
import { limits } from "./parameters.ts"
import {
  gamesText,
  refusal,
  shownHit,
  shownLeague,
  shownLive,
  shownOrigin,
  shownSeries,
  shownSummary,
  shownTeam,
  shownTournament,
} from "./translate.ts"

/** An answer with its origin, which also says how old it is. */
export const answered = (
  body: Readonly<Record<string, unknown>>,
  sourced: Sourced<unknown>,
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const origin = shownOrigin(sourced, now)
    return HttpServerResponse.jsonUnsafe(
      { ...body, ...origin },
      { headers: { "x-data-age-ms": String(origin.age_ms) } },
    )
  })

export const SportsHandlers = HttpApiBuilder.group(
  Api,
  "sports",
  Effect.fnUntraced(function* (handlers) {
    const leagues = yield* Leagues
    const listings = yield* Listings
    const search = yield* SportsSearch
    const gateway = yield* gatewayAddress

    /** Summaries are counted when something changes; they are as old as the catalogue that they count. */
    const summaries = Effect.gen(function* () {
      const sourced = yield* Effect.catch(leagues.summaries, refusal)
      const at = yield* listings.knownAt
      return { ...sourced, at: sourced.stale ? sourced.at : Math.min(sourced.at, at ?? 0) }
    })

    /** From a query that the venue cannot answer. */
    const own = <A>(value: A): Effect.Effect<Sourced<A>> =>
      Effect.map(Clock.currentTimeMillis, (at) => ({ value, source: "catalogue", fallback: false, stale: false, at }))

    return handlers
      .handleRaw("leagues", () =>
        Effect.gen(function* () {
          const sourced = yield* Effect.catch(leagues.all, refusal)
          return yield* answered({ count: sourced.value.length, leagues: sourced.value.map(shownLeague) }, sourced)
        }),
      )
      .handleRaw("summary", () =>
        Effect.gen(function* () {
          const sourced = yield* summaries
          return yield* answered({ count: sourced.value.length, leagues: sourced.value.map(shownSummary) }, sourced)
        }),
      )
      .handleRaw("live", () => Effect.flatMap(summaries, (sourced) => answered(shownLive(sourced.value), sourced)))
      .handleRaw("teams", ({ params, query: { limit = limits.teams.default, offset = 0 } }) =>
        Effect.gen(function* () {
          const sourced = yield* Effect.catch(leagues.teams(params.league, limit, offset), refusal)
          const teams = sourced.value.map(shownTeam)
          return yield* answered({ league: params.league.toLowerCase(), count: teams.length, teams }, sourced)
        }),
      )
      .handleRaw("games", ({ params: { league }, query }) =>
        Effect.gen(function* () {
          const { status = "active", sort = "startDate", direction = "desc" } = query
          const { limit = limits.games.default, offset = 0 } = query
          const wanted = { status, sort, direction, limit: limit + 1, offset }
          const { series, ...sourced } = yield* Effect.catch(listings.games(league, wanted), refusal)
          const now = yield* Clock.currentTimeMillis
          const ws = String(yield* gateway)
          const shown = sourced.value.slice(0, limit)
          const origin = shownOrigin(sourced, now)
          const rest = {
            league: league.toLowerCase(),
            status,
            series_id: series === null ? null : String(series),
            count: shown.length,
            limit,
            offset,
            has_more: sourced.value.length > limit,
            ...origin,
          }
          return HttpServerResponse.text(gamesText(rest, shown, sourced, ws, now), {
            contentType: "application/json",
            headers: { "x-data-age-ms": String(origin.age_ms) },
          })
        }),
      )
      .handleRaw("marketTypes", () =>
        Effect.gen(function* () {
          const sourced = yield* Effect.catch(leagues.marketTypes, refusal)
          return yield* answered({ marketTypes: sourced.value, types: sourced.value.map(marketTypeOf) }, sourced)
        }),
      )
      .handleRaw("search", ({ query: { q, limit = limits.search.default } }) =>
        Effect.gen(function* () {
          const hits = yield* Effect.catch(search.find(q, limit), refusal)
          const results = hits.map(shownHit)
          return yield* answered({ query: q, count: results.length, results }, yield* own(hits))
        }),
      )
      .handleRaw("series", ({ query: { status = "active", limit = limits.series.default, offset = 0 } }) =>
        Effect.gen(function* () {
          const sourced = yield* Effect.catch(leagues.series({ status, limit, offset }), refusal)
          return yield* answered({ count: sourced.value.length, series: sourced.value.map(shownSeries) }, sourced)
        }),
      )
      .handle("oneSeries", ({ params: { id } }) =>
        Effect.map(Effect.catch(leagues.oneSeries(id), refusal), shownSeries),
      )
      .handle("tournaments", () =>
        Effect.map(Effect.catch(search.tournaments, refusal), (all) => ({
          count: all.length,
          tournaments: all.map(shownTournament),
        })),
      )
      .handle("tournament", ({ params: { id } }) =>
        Effect.gen(function* () {
          const found = yield* Effect.catch(search.tournament(id), refusal)
          if (found !== undefined) return shownTournament(found)
          return yield* refusal(new UnknownSport({ kind: "tournament", value: String(id), nearest: [] }))
        }),
      )
  }),
)
