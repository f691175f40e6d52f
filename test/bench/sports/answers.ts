import type { BenchGame, SportsWorld } from "../support/sports.ts"

/** An answer that clients request. */
export interface Request {
  readonly name: string
  readonly paths: (world: SportsWorld) => ReadonlyArray<string>
}

/** Twenty games in play and twenty to come. */
const someGames = ({ live, upcoming }: SportsWorld): ReadonlyArray<BenchGame> => [
  ...live.slice(0, 20),
  ...upcoming.slice(0, 20),
]
const ofGames = (path: (game: BenchGame) => string) => (world: SportsWorld) => someGames(world).map(path)
const ofLeagues = (path: string) => (world: SportsWorld) =>
  world.leagues.map((league) => `/v2/sports/leagues/${encodeURIComponent(league)}/${path}`)

/** All but the context of a game: it takes as long as X and the web do, and has their limits. */
export const requests: ReadonlyArray<Request> = [
  { name: "leagues", paths: () => ["/v2/sports/leagues"] },
  { name: "summary", paths: () => ["/v2/sports/summary"] },
  { name: "live", paths: () => ["/v2/sports/live"] },
  { name: "teams of a league", paths: ofLeagues("teams") },
  { name: "games of a league", paths: ofLeagues("games") },
  { name: "  in play", paths: ofLeagues("games?status=live") },
  { name: "  100 of them", paths: ofLeagues("games?limit=100") },
  { name: "market types", paths: () => ["/v2/sports/market-types"] },
  {
    name: "search",
    paths: () =>
      ["lakers", "nba", "man uni", "celtcs", "real", "winner"].map(
        (q) => `/v2/sports/search?q=${encodeURIComponent(q)}`,
      ),
  },
  { name: "series", paths: () => ["/v2/sports/series"] },
  { name: "  one", paths: ({ series }) => series.map((id) => `/v2/sports/series/${id}`) },
  { name: "tournaments", paths: () => ["/v2/sports/tournaments"] },
  { name: "a game", paths: ofGames(({ slug }) => `/v2/sports/games/${slug}`) },
  { name: "  by its event", paths: ofGames(({ event }) => `/v2/sports/games/by-event/${event}`) },
  { name: "  by its market", paths: ofGames(({ market }) => `/v2/sports/games/by-market/${market}`) },
  { name: "  its state", paths: ofGames(({ slug }) => `/v2/sports/games/${slug}/state`) },
  {
    name: "  its state with history",
    paths: ofGames(({ slug }) => `/v2/sports/games/${slug}/state?include_history=true`),
  },
  { name: "  its prices", paths: ofGames(({ slug }) => `/v2/sports/games/${slug}/prices`) },
  { name: "  its history", paths: ofGames(({ slug }) => `/v2/sports/games/${slug}/history?interval=1d`) },
]
