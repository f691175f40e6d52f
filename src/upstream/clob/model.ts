/** Prices are whole numbers of 10⁻⁶ dollars, sizes of 10⁻⁶ shares, moments milliseconds UTC, tokens decimal digits. */
export interface Level {
  readonly price: number
  readonly size: number
}

/** What the taker did. */
export type TradeSide = "buy" | "sell"

/** The whole book of one token at a moment; the best level first. */
export interface BookSnapshot {
  readonly token: string
  readonly condition: string
  /** When it last changed, by the venue's clock. */
  readonly at: number
  readonly hash: string
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  readonly tickSize: number | undefined
  readonly smallestOrder: number | undefined
  readonly lastTradePrice: number | undefined
}

/** A price at which `size` waits from now on; 0 is nothing. */
export interface LevelChange {
  readonly token: string
  readonly side: "bid" | "ask"
  readonly price: number
  readonly size: number
  /** The best prices once all changes of the message have been made; undefined where the venue does not say. */
  readonly bestBid: number | undefined
  readonly bestAsk: number | undefined
}

export interface LastTrade {
  readonly token: string
  readonly price: number
  readonly side: TradeSide | undefined
}

export interface MarketNews {
  readonly condition: string
  readonly tokens: ReadonlyArray<string>
  readonly at: number
}

/** What the market socket tells. */
export type ClobEvent =
  | { readonly kind: "book"; readonly book: BookSnapshot }
  | { readonly kind: "changes"; readonly at: number; readonly changes: ReadonlyArray<LevelChange> }
  | {
      readonly kind: "trade"
      readonly at: number
      readonly token: string
      readonly price: number
      readonly size: number
      readonly side: TradeSide
      /** In hundredths of a percent, as the venue writes it. */
      readonly feeRate: string | undefined
      readonly transaction: string | undefined
    }
  | { readonly kind: "tick-size"; readonly at: number; readonly token: string; readonly tickSize: number }
  | {
      readonly kind: "best"
      readonly at: number
      readonly token: string
      readonly bid: number | undefined
      readonly ask: number | undefined
    }
  | ({ readonly kind: "new-market"; readonly slug: string; readonly question: string } & MarketNews)
  | ({ readonly kind: "resolved"; readonly winner: string | undefined } & MarketNews)

export interface Prices {
  readonly bid: number | undefined
  readonly ask: number | undefined
}

export interface HistoryPoint {
  readonly at: number
  readonly price: number
}

/** Which part of a price history is wanted. `1m` is a month. */
export interface HistoryWindow {
  readonly interval?: "max" | "all" | "1m" | "1w" | "1d" | "6h" | "1h"
  /** Moments in milliseconds. */
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
  readonly smallestOrder: number
}

/** What makers of a market are paid; money in 10⁻⁶ dollars, sizes in 10⁻⁶ shares, the spread in 10⁻⁶ cents as the venue has it. */
export interface MarketRewards {
  readonly condition: string
  readonly dailyRate: number
  readonly smallestSize: number
  readonly largestSpread: number
}
