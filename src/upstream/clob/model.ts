/** Prices are whole numbers of 10⁻⁶ dollars, sizes of 10⁻⁶ shares, times milliseconds UTC, tokens decimal digits. */
export interface Level {
  readonly price: number
  readonly size: number
}

/** Side of the taker. */
export type TradeSide = "buy" | "sell"

/** The full book of one token at a point in time; the best level first. */
export interface BookSnapshot {
  readonly token: string
  readonly condition: string
  /** When it last changed, by the venue's clock; undefined if the venue leaves it out. */
  readonly at: number | undefined
  readonly hash: string | undefined
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  readonly tickSize: number | undefined
  readonly minOrderSize: number | undefined
  readonly lastTradePrice: number | undefined
}

/** The new size at a price; 0 removes the level. */
export interface LevelChange {
  readonly token: string
  readonly side: "bid" | "ask"
  readonly price: number
  readonly size: number
  /** Best prices after all changes of the message; undefined if the venue sends none. */
  readonly bestBid: number | undefined
  readonly bestAsk: number | undefined
}

export interface LastTrade {
  readonly token: string
  readonly price: number
  readonly side: TradeSide | undefined
}

export interface MarketNotice {
  readonly condition: string
  readonly tokens: ReadonlyArray<string>
  readonly at: number | undefined
}

/** An event of the market socket. The venue may leave out its time. */
export type ClobEvent =
  | { readonly kind: "book"; readonly book: BookSnapshot }
  | { readonly kind: "changes"; readonly at: number | undefined; readonly changes: ReadonlyArray<LevelChange> }
  | {
      readonly kind: "trade"
      readonly at: number | undefined
      readonly token: string
      readonly price: number
      readonly size: number | undefined
      readonly side: TradeSide
      /** In basis points, as the venue sends it. */
      readonly feeRate: string | undefined
      readonly transaction: string | undefined
    }
  | { readonly kind: "tick-size"; readonly at: number | undefined; readonly token: string; readonly tickSize: number }
  | {
      readonly kind: "best"
      readonly at: number | undefined
      readonly token: string
      readonly bid: number | undefined
      readonly ask: number | undefined
    }
  | ({
      readonly kind: "new-market"
      readonly slug: string | undefined
      readonly question: string | undefined
    } & MarketNotice)
  | ({ readonly kind: "resolved"; readonly winner: string | undefined } & MarketNotice)

export interface Prices {
  readonly bid: number | undefined
  readonly ask: number | undefined
}

export interface HistoryPoint {
  readonly at: number
  readonly price: number
}

/** The requested part of a price history. `1m` is a month. */
export interface HistoryWindow {
  readonly interval?: "max" | "all" | "1m" | "1w" | "1d" | "6h" | "1h"
  /** Milliseconds. */
  readonly from?: number
  readonly to?: number
  readonly stepMinutes?: number
}

export interface ClobMarket {
  readonly condition: string
  readonly question: string
  readonly slug: string
  readonly tokens: ReadonlyArray<{
    readonly token: string
    readonly outcome: string
    readonly price: number
    readonly winner: boolean
  }>
  readonly active: boolean
  readonly closed: boolean
  readonly acceptingOrders: boolean
  readonly negRisk: boolean
  readonly tickSize: number
  /** In 10⁻⁶ shares. */
  readonly minOrderSize: number
}

/** Maker rewards of a market; money in 10⁻⁶ dollars, sizes in 10⁻⁶ shares, the spread in 10⁻⁶ cents like the venue. */
export interface MarketRewards {
  readonly condition: string
  /** The venue names only a market that was asked for. */
  readonly question: string | undefined
  readonly slug: string | undefined
  readonly eventSlug: string | undefined
  readonly image: string | undefined
  readonly minSize: number | undefined
  readonly maxSpread: number | undefined
  readonly nativeDailyRate: number
  readonly sponsoredDailyRate: number
  readonly totalDailyRate: number
  readonly sponsors: number
  readonly programmes: ReadonlyArray<RewardProgramme>
}

export interface RewardProgramme {
  readonly id: number | string | undefined
  readonly asset: string | undefined
  /** Dates as the venue writes them. */
  readonly startDate: string | undefined
  readonly endDate: string | undefined
  readonly dailyRate: number
  readonly total: number | undefined
}

/** The rewards of one market, or a page of those of all markets. */
export interface RewardsQuery {
  /** 64 hexadecimal digits. */
  readonly condition: string | undefined
  readonly sponsored: boolean
  readonly cursor: string | undefined
}

export interface RewardsPage {
  readonly rewards: ReadonlyArray<MarketRewards>
  /** The cursor of the next page; `LTE=` at the end. */
  readonly next: string
}

/** What the venue gives a maker back of the fees of one market and day. Addresses are in lower case with 0x. */
export interface MakerRebate {
  /** UTC, YYYY-MM-DD. */
  readonly date: string
  readonly condition: string
  readonly asset: string
  readonly maker: string
  /** In 10⁻⁶ dollars. */
  readonly usd: number
}
