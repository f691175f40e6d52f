import { Schema } from "effect"
import { gamePhases } from "#src/domain/Game.ts"
import { metadataSources } from "#src/sports/model.ts"
import { freshnesses } from "#src/sports/score.ts"
import { contextFields } from "../context/shapes.ts"
import { about } from "../openapi/described.ts"

const Text = Schema.String
const TextOrNull = Schema.NullOr(Text)
const Texts = Schema.Array(Text)
const NumberOrNull = Schema.NullOr(Schema.Finite)
const Decimal = about(TextOrNull, "A decimal number; null where there is no order")
const Status = about(Schema.Literals(gamePhases), "What the game is doing")

/** Fields that say where an answer comes from. */
const origin = {
  source: about(Schema.Literals(metadataSources), "Our catalogue, or the venue's list that answered"),
  fallback: about(Schema.Boolean, "Not from our catalogue or the venue's primary list"),
  stale: about(Schema.Boolean, "No source answers: this is the last good answer"),
  age_ms: about(Schema.Int, "How old the answer is"),
}

export const LeagueList = Schema.Struct({
  count: Schema.Int,
  leagues: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      sport: about(Text, "The code of the league"),
      name: TextOrNull,
      image: Text,
      resolution: Text,
      ordering: about(Text, "Which side comes first in titles"),
      tags: about(Text, "Tag ids, separated by commas"),
      series: about(Text, "The series of its games; empty if it has none"),
    }),
  ),
  ...origin,
}).annotate({ identifier: "LeagueList" })

const Team = Schema.Struct({
  id: Schema.Int,
  name: Text,
  league: TextOrNull,
  record: TextOrNull,
  logo: TextOrNull,
  abbreviation: TextOrNull,
  alias: TextOrNull,
  color: TextOrNull,
  providerId: Schema.NullOr(Schema.Int),
}).annotate({ identifier: "Team" })

export const TeamList = Schema.Struct({
  league: Text,
  count: Schema.Int,
  teams: Schema.Array(Team),
  ...origin,
}).annotate({ identifier: "TeamList" })

const Subscribe = Schema.Struct({
  ws: about(Text, "Address of the streams; add `?key=`"),
  action: Schema.Literal("subscribe"),
  type: Schema.Literal("orderbook"),
  token_ids: Texts,
})
  .annotate({ description: "Send it without `ws` to get the order books of these tokens" })
  .annotate({ identifier: "BookSubscription" })

const market = {
  id: Text,
  slug: Text,
  conditionId: TextOrNull,
  question: Text,
  groupItemTitle: Text,
  sportsMarketType: TextOrNull,
  line: NumberOrNull,
  outcomes: Texts,
  outcomePrices: Texts,
  clobTokenIds: Texts,
  volume24hr: Schema.Finite,
  active: Schema.Boolean,
  closed: Schema.Boolean,
}

const ListedMarket = Schema.Struct({
  ...market,
  _links: Schema.Struct({
    ws: Text,
    ws_subscribe: Schema.Struct({
      action: Schema.Literal("subscribe"),
      type: Schema.Literal("orderbook"),
      token_ids: Texts,
    }),
    orderbook_rest: about(Text, "Path of the current prices of the market"),
  }),
}).annotate({ identifier: "GameMarket" })

const Score = Schema.Struct({
  source: Text,
  score: about(TextOrNull, "The home side first, as the venue writes it"),
  period: TextOrNull,
  elapsed: TextOrNull,
  live: Schema.NullOr(Schema.Boolean),
  ended: Schema.NullOr(Schema.Boolean),
  venue_status: about(TextOrNull, "The venue's own word for the status"),
  freshness: about(
    Schema.Literals(freshnesses),
    "Whether the score was confirmed within a minute (`live`), ten minutes (`recent`) or longer ago (`stale`); `unknown` without a score. A final score stays `recent`",
  ),
  confirmed_at: about(Schema.NullOr(Schema.Int), "Unix milliseconds"),
  age_ms: Schema.NullOr(Schema.Int),
}).annotate({ identifier: "GameScore" })

const event = {
  id: Text,
  slug: Text,
  title: Text,
  startDate: about(Text, "When it was listed, in ISO 8601; empty if unknown"),
  startTime: about(Text, "When the game starts, in ISO 8601; empty if unknown"),
  eventDate: TextOrNull,
  closed: Schema.Boolean,
  status: Status,
  volume24hr: Schema.Finite,
}

export const GameList = Schema.Struct({
  league: Text,
  status: Text,
  series_id: TextOrNull,
  count: Schema.Int,
  limit: Schema.Int,
  offset: Schema.Int,
  has_more: Schema.Boolean,
  games: Schema.Array(Schema.Struct({ ...event, score: Score, markets: Schema.Array(ListedMarket) })),
  ...origin,
}).annotate({ identifier: "GameList" })

export const GameDetail = Schema.Struct({
  ...event,
  score: TextOrNull,
  score_state: Score,
  gameId: Schema.NullOr(Schema.Union([Schema.Int, Text])),
  game_slug: about(Text, "Slug of the event that names the game"),
  league: TextOrNull,
  description: TextOrNull,
  image: TextOrNull,
  volume: Schema.Finite,
  liquidity: Schema.Finite,
  teams: Schema.Array(Schema.Struct({ ...Team.fields, ordering: Schema.Literals(["home", "away"]) })),
  markets: Schema.Array(
    Schema.Struct({
      ...market,
      event_slug: Text,
      gameStartTime: Text,
      clearBookOnStart: Schema.NullOr(Schema.Boolean),
      secondsDelay: Schema.NullOr(Schema.Int),
    }),
  ),
  related_events: Schema.Array(Schema.Struct({ id: Text, slug: Text, title: Text })),
  eventMetadata: Schema.Struct({ context_description: TextOrNull }),
  subscribe: Subscribe,
  ...origin,
}).annotate({ identifier: "GameDetail" })

const quote = { best_bid: Decimal, best_ask: Decimal, midpoint: Decimal, spread: Decimal }

const TokenHistory = Schema.Struct({
  token_id: Text,
  outcome: Text,
  question: Text,
  market_type: TextOrNull,
  history: Schema.Array(Schema.Struct({ t: about(Schema.Int, "Unix seconds"), p: Schema.Finite })),
}).annotate({ identifier: "TokenHistory" })

const Sources = Schema.Struct({ metadata: Text, prices: TextOrNull, history: TextOrNull, score: TextOrNull }).annotate({
  identifier: "ContextSources",
})
const Ages = Schema.Struct({
  metadata: Schema.Int,
  prices: Schema.NullOr(Schema.Int),
  score: Schema.NullOr(Schema.Int),
})
  .annotate({ description: "Milliseconds" })
  .annotate({ identifier: "StateAges" })

export const GameState = Schema.Struct({
  slug: Text,
  title: Text,
  status: Status,
  source: Sources,
  age_ms: Ages,
  fallback: Schema.Boolean,
  stale: Schema.Boolean,
  score: Score,
  markets: Schema.Array(
    Schema.Struct({
      id: Text,
      question: Text,
      sportsMarketType: TextOrNull,
      clobTokenIds: Texts,
      prices: Schema.Array(Schema.Struct({ outcome: Text, ...quote })),
    }),
  ),
  total_tokens: Schema.Int,
  truncated: about(Schema.Boolean, "Whether some markets have no prices here, because of `price_limit_tokens`"),
  history: Schema.optionalKey(Schema.Array(TokenHistory)),
  subscribe: Subscribe,
}).annotate({ identifier: "GameState" })

export const GamePrices = Schema.Struct({
  slug: Text,
  title: Text,
  source: about(TextOrNull, "The worst source of any price: `books` (ours), `clob` (the venue's) or `catalogue`"),
  stale: about(Schema.Boolean, "Whether some prices are the catalogue's, because the venue does not answer"),
  age_ms: Schema.Int,
  count: Schema.Int,
  total_tokens: Schema.Int,
  truncated: Schema.Boolean,
  tokens: Schema.Array(
    Schema.Struct({
      token_id: Text,
      outcome: Text,
      question: Text,
      market_type: TextOrNull,
      ...quote,
      source: Text,
    }),
  ),
  subscribe: Subscribe,
}).annotate({ identifier: "GamePrices" })

export const GameHistory = Schema.Struct({
  slug: Text,
  title: Text,
  source: about(Schema.Literals(["ledger", "clob"]), "Our own trades and recorded prices, or the venue's history"),
  partial: about(Schema.Boolean, "The ledger lacks a part of that time and the venue does not answer"),
  start_ts: Schema.Int,
  end_ts: Schema.Int,
  fidelity: about(Schema.Finite, "Minutes between two points"),
  count: Schema.Int,
  total_tokens: Schema.Int,
  truncated: Schema.Boolean,
  tokens: Schema.Array(TokenHistory),
}).annotate({ identifier: "GameHistory" })

export const GameContext = Schema.Struct({ ...contextFields, state: Schema.optionalKey(GameState) }).annotate({
  identifier: "GameContext",
})

export const SummaryList = Schema.Struct({
  count: Schema.Int,
  leagues: Schema.Array(
    Schema.Struct({
      league: Text,
      series_id: Text,
      active_games: Schema.Int,
      live_games: Schema.Int,
      upcoming_games: Schema.Int,
      open_markets: Schema.Int,
      volume_24h: Schema.Finite,
      next_start_time: about(Text, "ISO 8601; empty if none is scheduled"),
      latest_event_date: TextOrNull,
    }),
  ),
  ...origin,
}).annotate({ identifier: "LeagueSummaryList" })

const byLeague = (description: string) => about(Schema.Record(Text, Schema.Finite), description)

export const LiveOverview = Schema.Struct({
  summary_league_count: Schema.Int,
  live_games: Schema.Int,
  live_counts: byLeague("Live games of the leagues that have any"),
  volumes_24h: byLeague("Dollars traded with open events"),
  market_counts: byLeague("Open markets"),
  upcoming_leagues: about(Texts, "Leagues with scheduled games, soonest first"),
  latest_event_dates: Schema.Record(Text, Text),
  ...origin,
}).annotate({ identifier: "LiveOverview" })

export const MarketTypeList = Schema.Struct({
  marketTypes: Texts,
  types: Schema.Array(Schema.Struct({ code: Text, label: Text, category: Text })),
  ...origin,
}).annotate({ identifier: "MarketTypeList" })

export const SearchResults = Schema.Struct({
  query: Text,
  count: Schema.Int,
  results: Schema.Array(
    Schema.Struct({
      type: Schema.Literals(["event", "team", "league"]),
      id: Text,
      title: Text,
      slug: about(Text, "Slug of an event, abbreviation of a team, code of a league"),
      category: TextOrNull,
      league: TextOrNull,
      active: Schema.Boolean,
      closed: Schema.Boolean,
      volume: Schema.Finite,
      match: about(Schema.Literals(["words", "similar"]), "Whether the words were found, or only similar ones"),
    }),
  ),
  ...origin,
}).annotate({ identifier: "SportsSearchResults" })

const series = {
  id: Text,
  slug: Text,
  title: Text,
  seriesType: TextOrNull,
  recurrence: TextOrNull,
  active: Schema.Boolean,
  volume24hr: Schema.Finite,
  volume: Schema.Finite,
  liquidity: Schema.Finite,
}
export const SeriesList = Schema.Struct({
  count: Schema.Int,
  series: Schema.Array(Schema.Struct(series)),
  ...origin,
}).annotate({ identifier: "SeriesList" })
export const SeriesDetail = Schema.Struct(series).annotate({ identifier: "SeriesDetail" })

const tournament = {
  id: Schema.Int,
  name: Text,
  league: Text,
  numEntrants: about(Schema.Int, "Teams of the league"),
  phases: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      tournamentId: Schema.Int,
      roundSize: about(Schema.Int, "Open games of the round"),
      displayName: Text,
    }),
  ),
}
export const TournamentList = Schema.Struct({
  count: Schema.Int,
  tournaments: Schema.Array(Schema.Struct(tournament)),
}).annotate({ identifier: "TournamentList" })
export const TournamentDetail = Schema.Struct(tournament).annotate({ identifier: "TournamentDetail" })
