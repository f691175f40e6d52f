import { Schema } from "effect"
import { Anything, Count, Decimal, Flag, GameId, Id, Moment, maybe, Small, Text, TextList } from "./fields.ts"

/** The fields of the catalogue service that are used. Nearly all may be missing. */
export const WireTag = Schema.Struct({ id: Id.required, slug: Text.maybe, label: Text.maybe })

export const WireSeries = Schema.Struct({
  id: Id.required,
  slug: Text.maybe,
  title: Text.maybe,
  seriesType: Text.maybe,
  recurrence: Text.maybe,
  image: Text.maybe,
  active: Flag.maybe,
  closed: Flag.maybe,
  startDate: Moment.maybe,
  volume: Decimal.maybe,
  volume24hr: Decimal.maybe,
  liquidity: Decimal.maybe,
})

export const WireSport = Schema.Struct({
  id: Id.required,
  sport: Text.required,
  name: Text.maybe,
  image: Text.maybe,
  resolution: Text.maybe,
  ordering: Text.maybe,
  /** Comma-separated ids. */
  tags: Text.maybe,
  series: Anything,
})

export const WireTeam = Schema.Struct({
  id: Id.required,
  name: Text.maybe,
  league: Text.maybe,
  record: Text.maybe,
  logo: Text.maybe,
  abbreviation: Text.maybe,
  alias: Text.maybe,
  color: Text.maybe,
  providerId: Anything,
  ordering: Text.maybe,
})

const FeeSchedule = Schema.Struct({
  exponent: Small.maybe,
  rate: Small.maybe,
  takerOnly: Flag.maybe,
  rebateRate: Small.maybe,
})

const CryptoMarketConfig = Schema.Struct({
  asset: Text.required,
  duration: Text.required,
  twapEnabled: Flag.maybe,
  twapLookbackSeconds: Count.maybe,
})

export const WireMarket = Schema.Struct({
  id: Id.required,
  conditionId: Text.maybe,
  question: Text.maybe,
  slug: Text.maybe,
  category: Text.maybe,
  groupItemTitle: Text.maybe,
  image: Text.maybe,
  resolutionSource: Text.maybe,
  marketType: Text.maybe,
  outcomes: TextList.maybe,
  outcomePrices: TextList.maybe,
  clobTokenIds: TextList.maybe,
  positionIds: TextList.maybe,
  createdAt: Moment.maybe,
  startDate: Moment.maybe,
  endDate: Moment.maybe,
  closedTime: Moment.maybe,
  eventStartTime: Moment.maybe,
  gameStartTime: Moment.maybe,
  active: Flag.maybe,
  closed: Flag.maybe,
  archived: Flag.maybe,
  acceptingOrders: Flag.maybe,
  negRisk: Flag.maybe,
  negRiskMarketID: Text.maybe,
  automaticallyResolved: Flag.maybe,
  umaResolutionStatus: Text.maybe,
  resolutionStatus: Text.maybe,
  orderPriceMinTickSize: Small.maybe,
  orderMinSize: Decimal.maybe,
  secondsDelay: Count.maybe,
  clearBookOnStart: Flag.maybe,
  makerBaseFee: Count.maybe,
  takerBaseFee: Count.maybe,
  feesEnabled: Flag.maybe,
  feeType: Text.maybe,
  feeSchedule: maybe(FeeSchedule),
  cryptoMarketConfig: maybe(CryptoMarketConfig),
  sportsMarketType: Text.maybe,
  line: Decimal.maybe,
  gameId: GameId.maybe,
  volume: Decimal.maybe,
  volumeNum: Decimal.maybe,
  volume24hr: Decimal.maybe,
  liquidity: Decimal.maybe,
  liquidityNum: Decimal.maybe,
  bestBid: Small.maybe,
  bestAsk: Small.maybe,
  lastTradePrice: Small.maybe,
  oneDayPriceChange: Small.maybe,
  events: maybe(Schema.Array(Schema.Struct({ id: Id.required }))),
})
export type WireMarket = typeof WireMarket.Type

/** The fields of a closed market that identify its event. */
export const WireClosing = Schema.Struct({
  id: Id.required,
  closed: Schema.Literal(true),
  closedTime: Moment.required.check(Schema.makeFilter((text) => text !== "")),
  events: maybe(Schema.Array(Schema.Struct({ id: Id.required }))),
})

/** Decoded row by row, so that an undecodable one costs neither the others nor the event. */
const Nested = maybe(Schema.Array(Schema.Unknown))

export const WireEvent = Schema.Struct({
  id: Id.required,
  slug: Text.maybe,
  title: Text.maybe,
  description: Text.maybe,
  category: Text.maybe,
  image: Text.maybe,
  createdAt: Moment.maybe,
  creationDate: Moment.maybe,
  startDate: Moment.maybe,
  startTime: Moment.maybe,
  endDate: Moment.maybe,
  closedTime: Moment.maybe,
  active: Flag.maybe,
  closed: Flag.maybe,
  archived: Flag.maybe,
  featured: Flag.maybe,
  negRisk: Flag.maybe,
  negRiskMarketID: Text.maybe,
  volume: Decimal.maybe,
  volume24hr: Decimal.maybe,
  liquidity: Decimal.maybe,
  openInterest: Decimal.maybe,
  parentEventId: Anything,
  eventDate: Text.maybe,
  eventWeek: Count.maybe,
  /** An open object. */
  eventMetadata: maybe(
    Schema.Struct({ priceToBeat: Anything, finalPrice: Anything, gameId: Anything, context_description: Anything }),
  ),
  tags: Nested,
  series: Nested,
  /** -1 for none. */
  gameId: GameId.maybe,
  live: Flag.maybe,
  ended: Flag.maybe,
  score: Text.maybe,
  period: Text.maybe,
  elapsed: Text.maybe,
  gameStatus: Text.maybe,
  finishedTimestamp: Moment.maybe,
  homeTeamName: Text.maybe,
  awayTeamName: Text.maybe,
  teams: Nested,
  sport: maybe(Schema.Struct({ sport: Text.maybe })),
  spreadsMainLine: Decimal.maybe,
  totalsMainLine: Decimal.maybe,
  markets: Nested,
})
export type WireEvent = typeof WireEvent.Type

export const WireProfile = Schema.Struct({
  proxyWallet: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)),
  name: Text.maybe,
  displayUsernamePublic: Flag.maybe,
  pseudonym: Text.maybe,
  bio: Text.maybe,
  profileImage: Text.maybe,
  xUsername: Text.maybe,
  verifiedBadge: Flag.maybe,
  createdAt: Moment.maybe,
})
