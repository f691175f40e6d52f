import { rewardsOf } from "../world/MakerPayouts.ts"
import type { Market } from "../world/Venue.ts"
import { allOf, between, flagged, lookupCandidates, oneOf, type Predicate, tagged, timeBetween } from "./filter.ts"
import type { GammaView } from "./GammaView.ts"
import { umaStatusOf, updatedAt } from "./market.ts"
import { competitiveness } from "./marketNumbers.ts"
import type { SortFields } from "./pagination.ts"
import type { Query } from "./Query.ts"
import type { SpanName } from "./TradeSums.ts"

export const marketFields = (view: GammaView): SortFields<Market> => {
  const volume = (market: Market) => view.volume(market)
  const liquidity = (market: Market) => view.liquidity(market)
  const recent = (span: SpanName) => (market: Market) => view.recentVolume(market, span)
  const change = (span: SpanName) => (market: Market) => view.trades.priceChange(market.index, span)
  const quoted = (of: (market: Market) => number) => (market: Market) =>
    view.isTrading(market) ? of(market) : undefined
  return {
    id: ({ index }) => index,
    slug: ({ plan }) => plan.slug,
    question: ({ plan }) => plan.question,
    volume,
    volumeNum: volume,
    volume24hr: recent("day"),
    volume1wk: recent("week"),
    volume1mo: recent("month"),
    volume1yr: recent("year"),
    liquidity,
    liquidityNum: liquidity,
    competitive: (market) => competitiveness(view.prices(market)[0]),
    spread: quoted((market) => view.quotes(market).ask - view.quotes(market).bid),
    bestBid: quoted((market) => view.quotes(market).bid),
    bestAsk: quoted((market) => view.quotes(market).ask),
    lastTradePrice: ({ index }) => (view.trades.lastAt(index) === 0 ? undefined : view.trades.last(index)),
    oneHourPriceChange: change("hour"),
    oneDayPriceChange: change("day"),
    oneWeekPriceChange: change("week"),
    oneMonthPriceChange: change("month"),
    startDate: ({ createdAt }) => createdAt,
    createdAt: ({ createdAt }) => createdAt,
    updatedAt: (market) => updatedAt(view, market),
    endDate: ({ plan }) => plan.endsAt,
    closedTime: (market) => (view.isClosed(market) ? view.listing.marketClosesAt(market) : undefined),
  }
}

/** Closed markets are excluded by default, whatever the other filters. */
const openByDefault = (view: GammaView, query: Query): Predicate<Market> => {
  const closed = query.flag("closed") ?? false
  return (market) => view.isClosed(market) === closed
}

const testsOf = (view: GammaView, query: Query): ReadonlyArray<Predicate<Market> | undefined> => [
  openByDefault(view, query),
  flagged(query, "active", () => true),
  flagged(query, "archived", () => false),
  flagged(query, "cyom", () => false),
  flagged(query, "rfq_enabled", () => false),
  oneOf(query.integers("id").map(String), ({ id }) => id),
  oneOf(query.texts("slug"), ({ plan }) => plan.slug),
  oneOf(query.texts("market_maker_address"), () => ""),
  oneOf(query.texts("position_ids"), () => ""),
  tagged(query, ({ event }) => event.plan.tags),
  oneOf<Market, number | undefined>(query.integers("game_id"), ({ event }) => event.plan.game?.id),
  oneOf<Market, string | undefined>(query.texts("sports_market_types"), ({ plan }) => plan.sportsMarketType),
  oneOf<Market, string | undefined>(query.texts("uma_resolution_status"), (market) => umaStatusOf(view, market)),
  oneOf<Market, number | undefined>(
    [query.number("rewards_min_size")].filter((size) => size !== undefined),
    (market) => rewardsOf(market).minSize,
  ),
  timeBetween(query, "start_date", ({ createdAt }) => createdAt),
  timeBetween(query, "end_date", ({ plan }) => plan.endsAt),
  between(query, "liquidity_num", (market) => view.liquidity(market)),
  between(query, "volume_num", (market) => view.volume(market)),
]

const candidates = (view: GammaView, query: Query): ReadonlyArray<Market> => {
  const { listing } = view
  const { venue } = view.sim.model.world
  const ofEvents = (indexes: ReadonlyArray<number>) =>
    listing.eventsAt(indexes).flatMap((event) => listing.marketsOf(event))
  return (
    lookupCandidates<Market>([
      [query.texts("id"), (id) => [listing.marketById(id)]],
      [query.texts("slug"), (slug) => [listing.marketBySlug(slug)]],
      [query.texts("condition_ids"), (id) => [listing.visible(venue.marketWithCondition(id))]],
      [query.texts("question_ids"), (id) => [listing.visible(listing.byQuestion.find(id.toLowerCase()))]],
      [query.texts("clob_token_ids"), (id) => [listing.visible(venue.tokenWithId(id)?.market)]],
      [query.texts("game_id"), (game) => ofEvents(listing.ofGame(Number(game)))],
      [query.texts("tag_slug").length > 0 ? [] : query.texts("tag_id"), (tag) => ofEvents(listing.ofTag(tag))],
    ]) ?? listing.allMarkets()
  )
}

/** Filters by ids, tested last because they are slow to compute. */
const idTests = (view: GammaView, query: Query): ReadonlyArray<Predicate<Market> | undefined> => {
  const tokenOf = (index: number) => view.sim.model.world.venue.tokens[index]?.id ?? ""
  const tokens = new Set(query.texts("clob_token_ids"))
  return [
    oneOf(lower(query.texts("condition_ids")), ({ conditionId }) => conditionId),
    oneOf(lower(query.texts("question_ids")), ({ questionId }) => questionId),
    tokens.size === 0 ? undefined : (market) => market.tokens.some((index) => tokens.has(tokenOf(index))),
  ]
}

const lower = (texts: ReadonlyArray<string>) => texts.map((text) => text.toLowerCase())

/** The markets that match a query, in order of id. */
export const selectMarkets = (view: GammaView, query: Query): ReadonlyArray<Market> =>
  candidates(view, query).filter(allOf([...testsOf(view, query), ...idTests(view, query)]))
