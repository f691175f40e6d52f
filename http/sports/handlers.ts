import { Clock, Effect } from "effect"
import * as HttpApiBuilder from "effect/unstable/httpapi/HttpApiBuilder"
import { Leagues } from "#src/sports/Leagues.ts"
import { marketTypeOf } from "#src/sports/marketTypes.ts"
import { type Sourced, UnknownSport } from "#src/sports/model.ts"
import { SportsSearch } from "#src/sports/Sports.ts"
import { Api } from "../Api.ts"
import { answered } from "./answered.ts"
import { leagueGamesHandler } from "./leagues/games/handler.ts"
import { limits } from "./parameters.ts"
import { summaryHandlers } from "./summary/handler.ts"
import { refusal, shownHit, shownLeague, shownSeries, shownTeam, shownTournament } from "./translate.ts"

export const SportsHandlers = HttpApiBuilder.group(
  Api,
  "sports",
  Effect.fnUntraced(function* (handlers) {
    const leagues = yield* Leagues
    const search = yield* SportsSearch
    const { summary, live } = yield* summaryHandlers

    /** From a query that the venue cannot answer. */
    const own = <A>(value: A): Effect.Effect<Sourced<A>> =>
      Effect.map(Clock.currentTimeMillis, (at) => ({ value, source: "catalogue", fallback: false, stale: false, at }))

    /** An answer of the catalogue or the venue. */
    const listed = <A>(
      read: Effect.Effect<Sourced<A>, unknown>,
      body: (value: A) => Readonly<Record<string, unknown>>,
    ) => Effect.flatMap(Effect.catch(read, refusal), (sourced) => answered(body(sourced.value), sourced))

    return handlers
      .handleRaw("leagues", () => listed(leagues.all, (all) => ({ count: all.length, leagues: all.map(shownLeague) })))
      .handleRaw("summary", summary)
      .handleRaw("live", live)
      .handleRaw("teams", ({ params: { league }, query: { limit = limits.teams.default, offset = 0 } }) =>
        listed(leagues.teams(league, limit, offset), (teams) => ({
          league: league.toLowerCase(),
          count: teams.length,
          teams: teams.map(shownTeam),
        })),
      )
      .handleRaw("games", yield* leagueGamesHandler)
      .handleRaw("marketTypes", () =>
        listed(leagues.marketTypes, (types) => ({ marketTypes: types, types: types.map(marketTypeOf) })),
      )
      .handleRaw("search", ({ query: { q, limit = limits.search.default } }) =>
        listed(Effect.flatMap(search.find(q, limit), own), (hits) => ({
          query: q,
          count: hits.length,
          results: hits.map(shownHit),
        })),
      )
      .handleRaw("series", ({ query: { status = "active", limit = limits.series.default, offset = 0 } }) =>
        listed(leagues.series({ status, limit, offset }), (series) => ({
          count: series.length,
          series: series.map(shownSeries),
        })),
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
