import type { CatalogueEvent, Closing, League, Market, Profile, Series, Tag, Team } from "#src/domain/Catalogue.ts"
import { type Game, readScore, readStatus } from "#src/domain/Game.ts"
import {
  conditionOf,
  decimalOf,
  gameIdOf,
  hashOf,
  idOf,
  maybeId,
  micro,
  momentOf,
  numberOf,
  oraclePrice,
  textOf,
  textsOf,
  tokenOf,
  wholeOf,
} from "./fields.ts"
import type {
  WireClosing,
  WireEvent,
  WireMarket,
  WireProfile,
  WireSeries,
  WireSport,
  WireTag,
  WireTeam,
} from "./wire.ts"

/** The names of something that may have only one of them, or none. */
const named = (id: number | string, slug: string | null | undefined, title: string | null | undefined) => {
  const known = textOf(slug) ?? String(id)
  return { slug: known, title: textOf(title) ?? known }
}

export const toTag = (wire: typeof WireTag.Type): Tag => {
  const { slug, title } = named(wire.id, wire.slug, wire.label)
  return { id: idOf(wire.id), slug, label: title }
}

export const toSeries = (wire: typeof WireSeries.Type): Series => ({
  id: idOf(wire.id),
  ...named(wire.id, wire.slug, wire.title),
  seriesType: textOf(wire.seriesType),
  recurrence: textOf(wire.recurrence),
  image: textOf(wire.image),
  active: wire.active ?? false,
  closed: wire.closed ?? false,
  startsAt: momentOf(wire.startDate),
  volume: micro(wire.volume),
  volumeDay: micro(wire.volume24hr),
  liquidity: micro(wire.liquidity),
})

export const toLeague = (wire: typeof WireSport.Type): League => ({
  id: idOf(wire.id),
  code: wire.sport,
  name: textOf(wire.name),
  image: textOf(wire.image),
  resolution: textOf(wire.resolution),
  ordering: textOf(wire.ordering),
  tags: (wire.tags ?? "").split(",").flatMap((id) => (/^\d+$/.test(id.trim()) ? [Number(id)] : [])),
  series: maybeId(wire.series),
})

export const toTeam = (wire: typeof WireTeam.Type): Team => ({
  id: idOf(wire.id),
  name: wire.name ?? wire.alias ?? wire.abbreviation ?? "",
  league: textOf(wire.league),
  record: textOf(wire.record),
  logo: textOf(wire.logo),
  abbreviation: textOf(wire.abbreviation),
  alias: textOf(wire.alias),
  color: textOf(wire.color),
  provider: maybeId(wire.providerId),
})

const pricesOf = ({ outcomePrices }: WireMarket): ReadonlyArray<number> => {
  const prices = textsOf(outcomePrices).map((text) => Math.round(Number(text) * 1_000_000))
  return prices.every(Number.isFinite) ? prices : []
}

/**
 * The prices of a closed market are final if one outcome has all, or if the oracle or the venue declares it. Scalar markets
 * are older than such declarations and end between two outcomes.
 */
const payoutsOf = (wire: WireMarket, prices: ReadonlyArray<number>): ReadonlyArray<number> | null => {
  if (wire.closed !== true || prices.length === 0) return null
  if (prices.reduce((sum, price) => sum + price, 0) !== 1_000_000) return null
  const hasWinner = prices.includes(1_000_000)
  const declared =
    wire.umaResolutionStatus === "resolved" ||
    wire.resolutionStatus === "resolved" ||
    wire.automaticallyResolved === true ||
    wire.marketType === "scalar"
  return hasWinner || declared ? prices : null
}

const feesOf = (wire: WireMarket): Market["fees"] =>
  wire.feesEnabled === true
    ? {
        kind: textOf(wire.feeType),
        rate: micro(wire.feeSchedule?.rate),
        exponent: numberOf(wire.feeSchedule?.exponent),
        takerOnly: wire.feeSchedule?.takerOnly ?? null,
        rebateRate: micro(wire.feeSchedule?.rebateRate),
      }
    : null

const priceRuleOf = ({ cryptoMarketConfig: rule }: WireMarket): Market["priceRule"] =>
  rule === undefined || rule === null
    ? null
    : {
        asset: rule.asset,
        duration: rule.duration,
        twapSeconds: rule.twapEnabled === true ? (wholeOf(rule.twapLookbackSeconds) ?? 0) : 0,
      }

const tokensOf = ({ clobTokenIds, positionIds }: WireMarket): ReadonlyArray<string> => {
  const legacy = textsOf(clobTokenIds)
  const tokens = (legacy.length > 0 ? legacy : textsOf(positionIds)).map(tokenOf)
  return tokens.every((token) => token !== null) ? tokens : []
}

export const toMarket = (wire: WireMarket, event: number | null): Market => {
  const prices = pricesOf(wire)
  const { slug, title } = named(wire.id, wire.slug, wire.question)
  return {
    id: idOf(wire.id),
    event: event ?? maybeId(wire.events?.[0]?.id),
    condition: conditionOf(wire.conditionId),
    question: title,
    slug,
    groupTitle: textOf(wire.groupItemTitle),
    image: textOf(wire.image),
    resolutionSource: textOf(wire.resolutionSource),
    outcomes: textsOf(wire.outcomes),
    tokens: tokensOf(wire),
    prices,
    createdAt: momentOf(wire.createdAt ?? wire.startDate),
    startsAt: momentOf(wire.startDate),
    endsAt: momentOf(wire.endDate),
    opensAt: momentOf(wire.eventStartTime ?? wire.gameStartTime),
    closedAt: momentOf(wire.closedTime),
    active: wire.active ?? false,
    closed: wire.closed ?? false,
    archived: wire.archived ?? false,
    acceptingOrders: wire.acceptingOrders ?? false,
    negRisk: wire.negRisk ?? false,
    negRiskMarket: hashOf(wire.negRiskMarketID),
    tickSize: micro(wire.orderPriceMinTickSize),
    minSize: micro(wire.orderMinSize),
    delaySeconds: wholeOf(wire.secondsDelay),
    clearBookOnStart: wire.clearBookOnStart ?? null,
    makerBaseFee: wholeOf(wire.makerBaseFee),
    takerBaseFee: wholeOf(wire.takerBaseFee),
    fees: feesOf(wire),
    priceRule: priceRuleOf(wire),
    sportsType: textOf(wire.sportsMarketType),
    line: micro(wire.line),
    game: gameIdOf(wire.gameId),
    volume: micro(wire.volumeNum ?? wire.volume),
    volumeDay: micro(wire.volume24hr),
    liquidity: micro(wire.liquidityNum ?? wire.liquidity),
    bestBid: micro(wire.bestBid),
    bestAsk: micro(wire.bestAsk),
    lastTrade: micro(wire.lastTradePrice),
    dayChange: micro(wire.oneDayPriceChange),
    payouts: payoutsOf(wire, prices),
  }
}

export const toClosing = (wire: typeof WireClosing.Type): Closing => ({
  market: idOf(wire.id),
  event: maybeId(wire.events?.[0]?.id),
  closedAt: momentOf(wire.closedTime) ?? 0,
})

/** Sports without numbers have their id in the metadata. */
const gameOf = (wire: WireEvent, teams: EventParts["teams"]): Game | null => {
  const id = gameIdOf(wire.gameId) ?? gameIdOf(wire.eventMetadata?.gameId)
  if (id === null) return null
  const side = (ordering: string) => teams.find((team) => team.ordering === ordering)
  const [home, away] = [side("home"), side("away")]
  return {
    id,
    league: textOf(wire.sport?.sport ?? teams[0]?.league),
    home: textOf(wire.homeTeamName ?? home?.name),
    away: textOf(wire.awayTeamName ?? away?.name),
    homeTeam: maybeId(home?.id),
    awayTeam: maybeId(away?.id),
    startsAt: momentOf(wire.startTime),
    state: {
      status: readStatus(wire.gameStatus),
      score: readScore(wire.score),
      period: textOf(wire.period),
      elapsed: textOf(wire.elapsed),
      turn: null,
      live: wire.live ?? null,
      ended: wire.ended ?? null,
      finishedAt: momentOf(wire.finishedTimestamp),
    },
  }
}

const contextOf = ({ eventMetadata }: WireEvent): string | null => {
  const text = eventMetadata?.context_description
  return typeof text === "string" ? textOf(text.replaceAll("\0", "")) : null
}

/** Tags that are categories; newer events have no category field. */
const categoryTags = new Set(
  "politics sports crypto culture pop-culture tech economy finance business world science weather mentions esports".split(
    " ",
  ),
)

const categoryOf = (wire: WireEvent, tags: ReadonlyArray<Tag>): string | null =>
  textOf(wire.category)?.toLowerCase() ?? tags.find(({ slug }) => categoryTags.has(slug))?.slug ?? null

/** The decodable rows nested in an event. */
export interface EventParts {
  readonly tags: ReadonlyArray<Tag>
  readonly series: ReadonlyArray<Series>
  readonly teams: ReadonlyArray<typeof WireTeam.Type>
  readonly markets: ReadonlyArray<WireMarket>
}

export const toEvent = (wire: WireEvent, { tags, series, teams, markets }: EventParts): CatalogueEvent => {
  const id = idOf(wire.id)
  return {
    id,
    ...named(wire.id, wire.slug, wire.title),
    description: textOf(wire.description),
    category: categoryOf(wire, tags),
    image: textOf(wire.image),
    tags,
    series: series[0] ?? null,
    parent: maybeId(wire.parentEventId),
    game: gameOf(wire, teams),
    context: contextOf(wire),
    eventDate: textOf(wire.eventDate),
    eventWeek: wholeOf(wire.eventWeek),
    createdAt: momentOf(wire.createdAt ?? wire.creationDate),
    startsAt: momentOf(wire.startDate),
    opensAt: momentOf(wire.startTime),
    endsAt: momentOf(wire.endDate),
    closedAt: momentOf(wire.closedTime),
    active: wire.active ?? false,
    closed: wire.closed ?? false,
    archived: wire.archived ?? false,
    featured: wire.featured ?? false,
    negRisk: wire.negRisk ?? false,
    negRiskMarket: hashOf(wire.negRiskMarketID),
    volume: micro(wire.volume),
    volumeDay: micro(wire.volume24hr),
    liquidity: micro(wire.liquidity),
    openInterest: micro(wire.openInterest),
    spreadsMainLine: micro(wire.spreadsMainLine),
    totalsMainLine: micro(wire.totalsMainLine),
    priceToBeat: oraclePrice(decimalOf(wire.eventMetadata?.priceToBeat)),
    finalPrice: oraclePrice(decimalOf(wire.eventMetadata?.finalPrice)),
    markets: markets.map((market) => toMarket(market, id)),
  }
}

/** The venue names users without a name after their address. */
const isGiven = (name: string | null): boolean => name !== null && /^0x[0-9a-f]{40}-\d+$/i.test(name)

const chosenName = ({ name, displayUsernamePublic }: typeof WireProfile.Type): string | null => {
  const text = textOf(name)
  return displayUsernamePublic === false || isGiven(text) ? null : text
}

export const toProfile = (wire: typeof WireProfile.Type): Profile => ({
  wallet: wire.proxyWallet.slice(2).toLowerCase(),
  name: chosenName(wire),
  pseudonym: textOf(wire.pseudonym),
  bio: textOf(wire.bio),
  image: textOf(wire.profileImage),
  xUsername: textOf(wire.xUsername),
  verified: wire.verifiedBadge ?? false,
  createdAt: momentOf(wire.createdAt),
})
