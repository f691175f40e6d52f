import type { Game } from "./Game.ts"

/**
 * The venue's catalogue. Money, shares, probabilities (0 to 1,000,000), tick sizes, fee rates and lines are whole numbers
 * of 10⁻⁶; oracle prices are whole numbers of 10⁻⁸; times are milliseconds. Hashes are lower-case hexadecimal digits
 * without 0x.
 */
export interface Tag {
  readonly id: number
  readonly slug: string
  readonly label: string
}

export interface Series {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly seriesType: string | null
  readonly recurrence: string | null
  readonly image: string | null
  readonly active: boolean
  readonly closed: boolean
  readonly startsAt: number | null
  readonly volume: number | null
  readonly volumeDay: number | null
  readonly liquidity: number | null
}

export interface League {
  readonly id: number
  readonly code: string
  readonly name: string | null
  readonly image: string | null
  readonly resolution: string | null
  readonly ordering: string | null
  readonly tags: ReadonlyArray<number>
  readonly series: number | null
}

export interface Team {
  readonly id: number
  readonly name: string
  readonly league: string | null
  readonly record: string | null
  readonly logo: string | null
  readonly abbreviation: string | null
  readonly alias: string | null
  readonly color: string | null
  readonly provider: number | null
}

/** How an up/down market is resolved. */
export interface PriceRule {
  readonly asset: string
  readonly duration: string
  /** 0 if a spot price counts. */
  readonly twapSeconds: number
}

export interface Fees {
  readonly kind: string | null
  readonly rate: number | null
  /** A plain number, usually whole. */
  readonly exponent: number | null
  readonly takerOnly: boolean | null
  readonly rebateRate: number | null
}

export interface Market {
  readonly id: number
  readonly event: number | null
  readonly condition: string | null
  readonly question: string
  readonly slug: string
  readonly groupTitle: string | null
  readonly image: string | null
  readonly resolutionSource: string | null
  /** In the order of the tokens and the prices. */
  readonly outcomes: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
  readonly prices: ReadonlyArray<number>
  readonly createdAt: number | null
  readonly startsAt: number | null
  readonly endsAt: number | null
  /** Start of the price window or game. */
  readonly opensAt: number | null
  readonly closedAt: number | null
  readonly active: boolean
  readonly closed: boolean
  readonly archived: boolean
  readonly acceptingOrders: boolean
  readonly negRisk: boolean
  readonly negRiskMarket: string | null
  readonly tickSize: number | null
  readonly minSize: number | null
  readonly delaySeconds: number | null
  /** Whether orders are removed when the game starts. */
  readonly clearBookOnStart: boolean | null
  /** As sent, in basis points; a legacy cap, not the fee. */
  readonly makerBaseFee: number | null
  readonly takerBaseFee: number | null
  readonly fees: Fees | null
  readonly priceRule: PriceRule | null
  readonly sportsType: string | null
  readonly line: number | null
  /** The venue's id of the game; some sports add the sides to it. */
  readonly game: string | null
  readonly volume: number | null
  readonly volumeDay: number | null
  readonly liquidity: number | null
  readonly bestBid: number | null
  readonly bestAsk: number | null
  readonly lastTrade: number | null
  readonly dayChange: number | null
  /** Payout of each outcome per share, once final. */
  readonly payouts: ReadonlyArray<number> | null
}

export interface CatalogueEvent {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly description: string | null
  readonly category: string | null
  readonly image: string | null
  readonly tags: ReadonlyArray<Tag>
  readonly series: Series | null
  readonly parent: number | null
  readonly game: Game | null
  /** The venue's own words about the event. */
  readonly context: string | null
  /** Day and week in the league's calendar. */
  readonly eventDate: string | null
  readonly eventWeek: number | null
  readonly createdAt: number | null
  readonly startsAt: number | null
  readonly opensAt: number | null
  readonly endsAt: number | null
  readonly closedAt: number | null
  readonly active: boolean
  readonly closed: boolean
  readonly archived: boolean
  readonly featured: boolean
  readonly negRisk: boolean
  readonly negRiskMarket: string | null
  readonly volume: number | null
  readonly volumeDay: number | null
  readonly liquidity: number | null
  readonly openInterest: number | null
  readonly spreadsMainLine: number | null
  readonly totalsMainLine: number | null
  readonly priceToBeat: number | null
  readonly finalPrice: number | null
  readonly markets: ReadonlyArray<Market>
}

/** A closed market and its event. */
export interface Closing {
  readonly market: number
  readonly event: number | null
  readonly closedAt: number
}

export interface Profile {
  readonly wallet: string
  /** The name that the user chose, unless it is hidden. */
  readonly name: string | null
  readonly pseudonym: string | null
  readonly bio: string | null
  readonly image: string | null
  readonly xUsername: string | null
  readonly verified: boolean
  readonly createdAt: number | null
}
