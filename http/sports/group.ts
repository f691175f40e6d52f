import * as HttpApiEndpoint from "effect/unstable/httpapi/HttpApiEndpoint"
import * as HttpApiGroup from "effect/unstable/httpapi/HttpApiGroup"
import * as OpenApi from "effect/unstable/httpapi/OpenApi"
import { describe } from "../openapi/describe.ts"
import { BadInput, NotFound, Unavailable } from "../server/errors.ts"
import { gamesQuery, leagueInPath, searchQuery, seriesInPath, seriesQuery, teamsQuery } from "./parameters.ts"
import * as shapes from "./shapes.ts"

const error = [NotFound, Unavailable] as const

const leagues = HttpApiEndpoint.get("leagues", "/v2/sports/leagues", {
  success: shapes.LeagueList,
  error: Unavailable,
}).annotateMerge(describe("Leagues", "/v2/sports/leagues", "All leagues of the venue, by id."))

const summary = HttpApiEndpoint.get("summary", "/v2/sports/summary", {
  success: shapes.SummaryList,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Games per league",
    "/v2/sports/summary",
    "Active, live and upcoming games, open markets, volume and dates of every league. Kept up to date as games start and end, not counted per request.",
  ),
)

const live = HttpApiEndpoint.get("live", "/v2/sports/live", {
  success: shapes.LiveOverview,
  error: Unavailable,
}).annotateMerge(describe("What is on", "/v2/sports/live", "The same figures as the summary, by figure."))

const teams = HttpApiEndpoint.get("teams", "/v2/sports/leagues/:league/teams", {
  params: leagueInPath,
  query: teamsQuery,
  success: shapes.TeamList,
  error,
}).annotateMerge(describe("Teams of a league", "/v2/sports/leagues/nba/teams?limit=5", "By name."))

const games = HttpApiEndpoint.get("games", "/v2/sports/leagues/:league/games", {
  params: leagueInPath,
  query: gamesQuery,
  success: shapes.GameList,
  error,
}).annotateMerge(
  describe(
    "Games of a league",
    "/v2/sports/leagues/nba/games?limit=2",
    "The games of the league's series with the markets of the event that names each game. From our catalogue while it is fresh; else from the venue's primary list, from its alternate list (`fallback`), or the last good answer (`stale`).",
  ),
)

const marketTypes = HttpApiEndpoint.get("marketTypes", "/v2/sports/market-types", {
  success: shapes.MarketTypeList,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Types of markets",
    "/v2/sports/market-types",
    "The venue's codes. Labels and categories follow from the words of the codes.",
  ),
)

const search = HttpApiEndpoint.get("search", "/v2/sports/search", {
  query: searchQuery,
  success: shapes.SearchResults,
  error: [BadInput, Unavailable],
}).annotateMerge(
  describe(
    "Find games, teams and leagues",
    "/v2/sports/search?q=lakers",
    "All words must match, the last one as a beginning. Open events come before closed ones, and those with more volume first. If nothing has the words, all of them may be beginnings; then names that are spelt alike are found.",
  ),
)

const series = HttpApiEndpoint.get("series", "/v2/sports/series", {
  query: seriesQuery,
  success: shapes.SeriesList,
  error: Unavailable,
}).annotateMerge(describe("Series of sports", "/v2/sports/series?limit=5", "Highest 24-hour volume first."))

const oneSeries = HttpApiEndpoint.get("oneSeries", "/v2/sports/series/:id", {
  params: seriesInPath,
  success: shapes.SeriesDetail,
  error,
}).annotateMerge(describe("A series", "/v2/sports/series/10345", "One series of the list."))

const tournaments = HttpApiEndpoint.get("tournaments", "/v2/sports/tournaments", {
  success: shapes.TournamentList,
  error: Unavailable,
}).annotateMerge(
  describe(
    "Competitions",
    "/v2/sports/tournaments",
    "The competition of each league's series: its teams, and its rounds with open games. A round is a week of the league's calendar or, without weeks, a day. The venue lists no brackets.",
  ),
)

const tournament = HttpApiEndpoint.get("tournament", "/v2/sports/tournaments/:id", {
  params: seriesInPath,
  success: shapes.TournamentDetail,
  error,
}).annotateMerge(
  describe("A competition", "/v2/sports/tournaments/10345", "One competition of the list, by its series."),
)

export class SportsGroup extends HttpApiGroup.make("sports")
  .add(leagues, summary, live, teams, games, marketTypes, search, series, oneSeries, tournaments, tournament)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sports",
      description: "Leagues, teams and games: market metadata and prices, not odds of bookmakers.",
    }),
  ) {}
