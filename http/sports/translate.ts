import { Effect } from "effect"
import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import type { League, Team } from "#src/domain/Catalogue.ts"
import { isoOf } from "#src/domain/time.ts"
import type { LeagueSummary, StoredSeries } from "#src/sports/LeagueStore.ts"
import type { Micro, Sourced, SportsEvent, SportsMarket } from "#src/sports/model.ts"
import { NoSource, statusOf, UnknownSport } from "#src/sports/model.ts"
import type { SportsHit } from "#src/sports/SearchStore.ts"
import { scoreOf } from "#src/sports/score.ts"
import type { Tournament } from "#src/sports/TournamentStore.ts"
import { NotFound, Unavailable, unavailable } from "../server/errors.ts"

const storeFailed = unavailable("sports")

const gamesAreListed = "GET /v2/sports/leagues/:league/games lists games; GET /v2/sports/search finds them."
const findWith: Readonly<Record<UnknownSport["kind"], string>> = {
  league: "GET /v2/sports/leagues lists all leagues.",
  game: gamesAreListed,
  event: gamesAreListed,
  market: gamesAreListed,
  series: "GET /v2/sports/series lists all series.",
  tournament: "GET /v2/sports/tournaments lists all tournaments.",
}

/** What does not exist is 404, with the names that may be meant; without any source it is 503. */
export const refusal = (failure: unknown): Effect.Effect<never, NotFound | Unavailable> => {
  if (failure instanceof UnknownSport) {
    const { kind, nearest } = failure
    const hint = nearest.length === 0 ? findWith[kind] : `Did you mean "${nearest.join('" or "')}"?`
    return Effect.fail(new NotFound({ error: failure.message, hint }))
  }
  if (!(failure instanceof NoSource)) return storeFailed(failure)
  return Effect.andThen(
    Effect.logWarning(`sports: ${failure.message}`),
    new Unavailable({
      error: "Neither our catalogue nor the venue can answer at the moment.",
      hint: "Try again in a few seconds; GET /v1/status shows the sources.",
    }),
  )
}

/** Where an answer comes from. */
export const shownOrigin = ({ source, fallback, stale, at }: Sourced<unknown>, now: number) => ({
  source,
  fallback,
  stale,
  age_ms: Math.max(0, now - at),
})

const decimal = (value: number) => decimalAmount(BigInt(value))
const amountOrNull = (value: Micro | null) => (value === null ? null : exactAmount(value))

export const shownLeague = ({ id, code, name, image, resolution, ordering, tags, series }: League) => ({
  id,
  sport: code,
  name,
  image: image ?? "",
  resolution: resolution ?? "",
  ordering: ordering ?? "",
  tags: tags.join(","),
  series: series === null ? "" : String(series),
})

export const shownTeam = ({ provider, ...team }: Team) => ({ ...team, providerId: provider })

export const orderBooks = (tokens: ReadonlyArray<string>) =>
  ({ action: "subscribe", type: "orderbook", token_ids: tokens }) as const

export const shownMarket = (market: SportsMarket) => ({
  id: String(market.id),
  slug: market.slug,
  conditionId: market.condition,
  question: market.question,
  groupItemTitle: market.groupTitle ?? "",
  sportsMarketType: market.sportsType,
  line: amountOrNull(market.line),
  outcomes: market.outcomes,
  outcomePrices: market.prices.map(decimal),
  clobTokenIds: market.tokens,
  volume24hr: exactAmount(market.volumeDay),
  active: market.active,
  closed: market.closed,
})

export const shownEvent = (event: SportsEvent) => ({
  id: String(event.id),
  slug: event.slug,
  title: event.title,
  startDate: isoOf(event.startsAt),
  startTime: isoOf(event.opensAt),
  eventDate: event.eventDate,
  closed: event.closed,
  status: statusOf(event),
  volume24hr: exactAmount(event.volumeDay),
})

const writtenMarkets = new WeakMap<SportsEvent["markets"], { readonly ws: string; readonly text: string }>()

/** As JSON. The markets of a list are most of its size, and often the same ones as a moment ago. */
const marketsText = (markets: SportsEvent["markets"], ws: string): string => {
  const written = writtenMarkets.get(markets)
  if (written?.ws === ws) return written.text
  const text = JSON.stringify(
    markets.map((market) => ({
      ...shownMarket(market),
      _links: {
        ws,
        ws_subscribe: orderBooks(market.tokens),
        orderbook_rest: `/v2/sports/games/by-market/${market.id}/prices`,
      },
    })),
  )
  writtenMarkets.set(markets, { ws, text })
  return text
}

const withField = (object: object, name: string, text: string) =>
  `${JSON.stringify(object).slice(0, -1)},${JSON.stringify(name)}:${text}}`

/** The games of a list as JSON, in an object with other fields. */
export const gamesText = (
  rest: object,
  events: ReadonlyArray<SportsEvent>,
  sourced: Sourced<unknown>,
  ws: string,
  now: number,
): string => {
  const games = events.map((event) =>
    withField({ ...shownEvent(event), score: scoreOf(event, sourced, now) }, "markets", marketsText(event.markets, ws)),
  )
  return withField(rest, "games", `[${games.join(",")}]`)
}

export const shownSummary = (row: LeagueSummary) => ({
  league: row.league,
  series_id: String(row.series),
  active_games: row.games,
  live_games: row.live,
  upcoming_games: row.upcoming,
  open_markets: row.markets,
  volume_24h: exactAmount(row.volume_day),
  next_start_time: isoOf(row.next_start),
  latest_event_date: row.latest_date,
})

const byLeague = <A>(rows: ReadonlyArray<LeagueSummary>, of: (row: LeagueSummary) => A | null) =>
  Object.fromEntries(
    rows.flatMap((row) => {
      const value = of(row)
      return value === null ? [] : [[row.league, value] as const]
    }),
  )

const orNull = (count: number) => (count === 0 ? null : count)
const startOf = ({ next_start }: LeagueSummary) => next_start?.getTime() ?? Number.POSITIVE_INFINITY

/** The summary by figure; leagues without games are left out. */
export const shownLive = (all: ReadonlyArray<LeagueSummary>) => {
  const rows = all.filter(({ games }) => games > 0)
  return {
    summary_league_count: rows.length,
    live_games: rows.reduce((sum, { live }) => sum + live, 0),
    live_counts: byLeague(rows, ({ live }) => orNull(live)),
    volumes_24h: byLeague(rows, ({ volume_day }) => exactAmount(volume_day)),
    market_counts: byLeague(rows, ({ markets }) => markets),
    upcoming_leagues: rows
      .filter(({ upcoming }) => upcoming > 0)
      .sort((a, b) => startOf(a) - startOf(b) || (a.league < b.league ? -1 : 1))
      .map(({ league }) => league),
    latest_event_dates: byLeague(rows, ({ latest_date }) => latest_date),
  }
}

export const shownSeries = (row: StoredSeries) => ({
  id: String(row.id),
  slug: row.slug,
  title: row.title,
  seriesType: row.series_type,
  recurrence: row.recurrence,
  active: row.active && !row.closed,
  volume24hr: exactAmount(row.volume_day),
  volume: exactAmount(row.volume),
  liquidity: exactAmount(row.liquidity),
})

export const shownHit = ({ kind, id, title, slug, category, league, active, closed, volume, match }: SportsHit) => ({
  type: kind,
  id: String(id),
  title,
  slug,
  category,
  league,
  active,
  closed,
  volume: exactAmount(volume),
  match,
})

export const shownTournament = ({ id, name, league, entrants, phases }: Tournament) => ({
  id,
  name,
  league,
  numEntrants: entrants,
  phases: phases.map((phase) => ({
    id: phase.id,
    tournamentId: id,
    roundSize: phase.games,
    displayName: phase.name,
  })),
})
