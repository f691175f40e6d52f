import { pictureOf } from "../pictures.ts"
import { hash } from "../random.ts"
import type { Game } from "../world/model.ts"
import type { Event, Market } from "../world/Venue.ts"
import { priceMetadata, resolutionSource, upDownOf } from "./crypto.ts"
import { easternDateOf, fieldsText, iso, listText, objectText } from "./format.ts"
import { type GammaView, usd } from "./GammaView.ts"
import { gameStateAt } from "./game.ts"
import { gameIdOfEvent, gameMetadata } from "./gameIds.ts"
import { marketFieldsText, updatedAt } from "./market.ts"
import { competitiveness } from "./marketNumbers.ts"
import { seriesJson, sportJson, tagJson, teamJson } from "./reference.ts"

const day = 86_400_000

/** The value of the most undecided market. */
export const eventCompetitive = (view: GammaView, event: Event): number =>
  Math.max(...view.listing.marketsOf(event).map((market) => competitiveness(view.prices(market)[0])))

export const isFeatured = ({ index, plan }: Event): boolean => plan.series === undefined && hash(index, 14) % 12 === 0

export const commentCountOf = ({ index, plan }: Event): number =>
  hash(index, 15) % (plan.series === undefined ? 900 : 40)

/** Soccer games have several events; all but the main one have it as their parent. */
export const parentOf = (view: GammaView, { index, plan }: Event): Event | undefined => {
  if (plan.game === undefined) return undefined
  const [main] = view.listing.ofGame(plan.game.id)
  return main === undefined || main === index ? undefined : view.listing.event(main)
}

/** Week of the year; only the NFL has one. */
export const eventWeekOf = ({ plan }: Event): number | undefined => {
  if (plan.game?.league !== "nfl") return undefined
  const { startsAt } = plan.game
  return 1 + Math.floor((startsAt - Date.UTC(new Date(startsAt).getUTCFullYear(), 0, 1)) / (7 * day))
}

const numbersOf = (view: GammaView, event: Event) => {
  const liquidity = view.sum(event, (market) => view.liquidity(market))
  return {
    liquidity,
    liquidityClob: liquidity,
    volume: view.sum(event, (market) => view.volume(market)),
    volume24hr: view.sum(event, (market) => view.recentVolume(market, "day")),
    volume1wk: view.sum(event, (market) => view.recentVolume(market, "week")),
    volume1mo: view.sum(event, (market) => view.recentVolume(market, "month")),
    volume1yr: view.sum(event, (market) => view.recentVolume(market, "year")),
    openInterest: openInterestOf(view, event),
    competitive: eventCompetitive(view, event),
    commentCount: commentCountOf(event),
  }
}

export const openInterestOf = (view: GammaView, event: Event): number =>
  view.sum(event, (market) => usd(market.openInterest))

/** The most traded line of a type. */
const mainLine = (markets: ReadonlyArray<Market>, type: string): Market | undefined =>
  markets
    .filter(({ plan }) => plan.sportsMarketType === type)
    .reduce<Market | undefined>((best, each) => (best && best.plan.weight >= each.plan.weight ? best : each), undefined)

const linesOf = (markets: ReadonlyArray<Market>, withBestLines: boolean) => {
  const lines = ["spreads", "totals"].map((type) => [type, mainLine(markets, type)] as const)
  const [spread, total] = lines.map(([, market]) => market?.plan.line)
  const best = lines.flatMap(([lineType, market]) =>
    market === undefined ? [] : [{ id: market.id, lineType, line: market.plan.line }],
  )
  return { spreadsMainLine: spread, totalsMainLine: total, bestLines: withBestLines ? best : undefined }
}

const sportsOf = (view: GammaView, event: Event, game: Game, withBestLines: boolean) => {
  const league = view.catalogue.leagues.find(({ code }) => code === game.league)
  const parent = parentOf(view, event)
  return {
    eventMetadata: gameMetadata(game),
    ...gameStateAt(game, view.now),
    eventDate: easternDateOf(game.startsAt),
    eventWeek: eventWeekOf(event),
    parentEventId: parent && Number(parent.id),
    homeTeamName: game.home.name,
    awayTeamName: game.away.name,
    teams: (["home", "away"] as const).map((ordering) => ({ ...teamJson(view, game[ordering]), ordering })),
    ...linesOf(view.listing.marketsOf(event), withBestLines),
    sport: league && sportJson(view, league),
  }
}

export const eventUpdatedAt = (view: GammaView, event: Event): number =>
  Math.max(...view.listing.marketsOf(event).map((market) => updatedAt(view, market)))

const closedTimeOf = (view: GammaView, event: Event) =>
  view.isEventClosed(event) ? iso(view.listing.eventClosesAt(event.index)) : undefined

/** An event without its markets and tags, as nested in a market. */
const bareEventJson = (view: GammaView, event: Event, withBestLines = false) => {
  const { plan, negRiskMarketId } = event
  const { series, game } = plan
  const closed = view.isEventClosed(event)
  const updown = plan.markets[0] && upDownOf(plan.markets[0])
  const createdAt = iso(plan.createdAt)
  return {
    id: event.id,
    ticker: plan.slug,
    slug: plan.slug,
    title: plan.title,
    description: plan.description,
    resolutionSource: resolutionSource(updown),
    startDate: createdAt,
    creationDate: createdAt,
    endDate: iso(plan.endsAt),
    startTime: plan.startsAt > plan.createdAt ? iso(plan.startsAt) : undefined,
    closedTime: closedTimeOf(view, event),
    createdAt,
    updatedAt: iso(eventUpdatedAt(view, event)),
    published_at: createdAt,
    image: pictureOf(view.sim, plan.category),
    icon: pictureOf(view.sim, plan.category),
    category: plan.category,
    active: true,
    closed,
    archived: false,
    new: false,
    featured: isFeatured(event),
    restricted: true,
    cyom: false,
    enableOrderBook: true,
    ...numbersOf(view, event),
    negRisk: plan.negRisk,
    negRiskMarketID: negRiskMarketId,
    negRiskFeeBips: plan.negRisk ? 0 : undefined,
    enableNegRisk: plan.negRisk,
    negRiskAugmented: false,
    cumulativeMarkets: plan.recurrence === "weekly",
    recurrence: plan.recurrence,
    seriesSlug: series?.slug,
    series: series && [seriesJson(view, series)],
    eventMetadata: updown && priceMetadata(view.sim.model.world.oracle, updown, view.now, closed),
    gameId: gameIdOfEvent(event),
    ...(game && sportsOf(view, event, game, withBestLines)),
  }
}

export const tagsOf = (view: GammaView, { plan }: Event) => plan.tags.map((tag) => tagJson(view, tag))

interface EventTextOptions {
  /** Which markets to nest; all by default. */
  readonly keep?: (market: Market) => boolean
  readonly withBestLines?: boolean
}

export const eventText = (view: GammaView, event: Event, { keep, withBestLines }: EventTextOptions = {}): string => {
  const markets = view.listing.marketsOf(event)
  const shown = keep === undefined ? markets : markets.filter(keep)
  return objectText(
    fieldsText(bareEventJson(view, event, withBestLines)),
    `"markets":${listText(shown.map((market) => objectText(marketFieldsText(view, market))))}`,
    view.tagTexts.get(event.index, () =>
      fieldsText({
        tags: tagsOf(view, event),
        tag_slugs: event.plan.tags.map(({ slug }) => slug),
        tag_labels: event.plan.tags.map(({ label }) => label),
      }),
    ),
  )
}

/** Serializes markets with their event and, on request, their tags. */
export const marketWriter = (view: GammaView, withTags: boolean): ((market: Market) => string) => {
  // Markets of one event are mostly adjacent in a list.
  const events = new Map<Event, string>()
  const eventJson = (event: Event) => {
    const cached = events.get(event)
    if (cached !== undefined) return cached
    const text = JSON.stringify(bareEventJson(view, event))
    events.set(event, text)
    return text
  }
  return (market) =>
    objectText(
      marketFieldsText(view, market),
      `"events":[${eventJson(market.event)}]`,
      withTags ? fieldsText({ tags: tagsOf(view, market.event) }) : "",
    )
}
