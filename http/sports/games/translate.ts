import { decimalAmount, exactAmount } from "#src/domain/amounts.ts"
import type { Team } from "#src/domain/Catalogue.ts"
import { isoOf } from "#src/domain/time.ts"
import type { GameHistory, TokenHistory } from "#src/sports/History.ts"
import type { FoundGame } from "#src/sports/Listings.ts"
import { type Sourced, statusOf } from "#src/sports/model.ts"
import type { GamePrices, TokenQuote } from "#src/sports/Prices.ts"
import { marketsOf, scoreOf } from "#src/sports/score.ts"
import { orderBooks, shownEvent, shownMarket, shownOrigin, shownTeam } from "../translate.ts"

const decimal = (value: number | null) => (value === null ? null : decimalAmount(BigInt(value)))

const subscribeTo = (ws: string, tokens: ReadonlyArray<string>) => ({ ws, ...orderBooks(tokens) })

/** A number where the venue has one. */
const shownGameId = (id: string | undefined) => (id === undefined ? null : /^\d{1,15}$/.test(id) ? Number(id) : id)

export const shownDetail = (sourced: Sourced<FoundGame>, teams: ReadonlyArray<Team>, ws: string, now: number) => {
  const { event, related, gameSlug } = sourced.value
  const slugs = new Map([event, ...related].map(({ id, slug }) => [id, slug]))
  const sides = [
    ["home", event.game?.homeTeam],
    ["away", event.game?.awayTeam],
  ] as const
  const score = scoreOf(event, sourced, now)
  const markets = marketsOf(sourced.value)
  return {
    ...shownEvent(event),
    score: score.score,
    score_state: score,
    gameId: shownGameId(event.game?.id),
    game_slug: gameSlug,
    league: event.game?.league ?? null,
    description: event.description,
    image: event.image,
    volume: exactAmount(event.volume),
    liquidity: exactAmount(event.liquidity),
    teams: sides.flatMap(([ordering, id]) => {
      const team = teams.find((each) => each.id === id)
      return team === undefined ? [] : [{ ...shownTeam(team), ordering }]
    }),
    markets: markets.map((market) => ({
      ...shownMarket(market),
      event_slug: slugs.get(market.event) ?? event.slug,
      gameStartTime: isoOf(market.opensAt),
      clearBookOnStart: market.clearBookOnStart,
      secondsDelay: market.delaySeconds,
    })),
    related_events: related.map(({ id, slug, title }) => ({ id: String(id), slug, title })),
    eventMetadata: { context_description: event.context },
    subscribe: subscribeTo(
      ws,
      markets.flatMap(({ tokens }) => tokens),
    ),
    ...shownOrigin(sourced, now),
  }
}

const shownQuote = ({ bid, ask, mid, spread }: Pick<TokenQuote, "bid" | "ask" | "mid" | "spread">) => ({
  best_bid: decimal(bid),
  best_ask: decimal(ask),
  midpoint: decimal(mid),
  spread: decimal(spread),
})

const shownTokenHistory = ({ token, outcome, question, marketType, points }: TokenHistory) => ({
  token_id: token,
  outcome,
  question,
  market_type: marketType,
  history: points.map(({ at, price }) => ({ t: at, p: exactAmount(price) })),
})

const ageOf = (at: number, now: number) => Math.max(0, now - at)

export const shownState = (
  sourced: Sourced<FoundGame>,
  prices: GamePrices,
  history: GameHistory | undefined,
  ws: string,
  now: number,
) => {
  const { event } = sourced.value
  const score = scoreOf(event, sourced, now)
  const byMarket = Map.groupBy(prices.quotes, ({ market }) => market)
  return {
    slug: event.slug,
    title: event.title,
    status: statusOf(event),
    source: {
      metadata: sourced.source,
      prices: prices.source,
      history: history?.source ?? null,
      score: score.source,
    },
    age_ms: {
      metadata: ageOf(sourced.at, now),
      prices: prices.source === null ? null : ageOf(prices.at, now),
      score: score.age_ms,
    },
    fallback: sourced.fallback,
    stale: sourced.stale,
    score,
    markets: marketsOf(sourced.value).map((market) => ({
      id: String(market.id),
      question: market.question,
      sportsMarketType: market.sportsType,
      clobTokenIds: market.tokens,
      prices: (byMarket.get(market) ?? []).map((quote) => ({ outcome: quote.outcome, ...shownQuote(quote) })),
    })),
    total_tokens: prices.total,
    truncated: prices.quotes.length < prices.total,
    ...(history === undefined ? {} : { history: history.tokens.map(shownTokenHistory) }),
    subscribe: subscribeTo(
      ws,
      prices.quotes.map(({ token }) => token),
    ),
  }
}

export const shownPrices = ({ value: { event } }: Sourced<FoundGame>, prices: GamePrices, ws: string, now: number) => ({
  slug: event.slug,
  title: event.title,
  source: prices.source,
  stale: prices.source === "catalogue" && prices.quotes.some(({ market }) => !market.closed),
  age_ms: ageOf(prices.at, now),
  count: prices.quotes.length,
  total_tokens: prices.total,
  truncated: prices.quotes.length < prices.total,
  tokens: prices.quotes.map((quote) => ({
    token_id: quote.token,
    outcome: quote.outcome,
    question: quote.market.question,
    market_type: quote.market.sportsType,
    ...shownQuote(quote),
    source: quote.source,
  })),
  subscribe: subscribeTo(
    ws,
    prices.quotes.map(({ token }) => token),
  ),
})

export const shownHistory = ({ value: { event } }: Sourced<FoundGame>, history: GameHistory) => ({
  slug: event.slug,
  title: event.title,
  source: history.source,
  partial: history.isPartial,
  start_ts: history.window.from,
  end_ts: history.window.to,
  fidelity: history.window.step / 60,
  count: history.tokens.length,
  total_tokens: history.total,
  truncated: history.tokens.length < history.total,
  tokens: history.tokens.map(shownTokenHistory),
})
