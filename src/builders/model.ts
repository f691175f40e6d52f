import { Schema } from "effect"
import type { Shares, Usdc } from "#src/domain/amounts.ts"
import type { AsOf } from "#src/ledger/asOf.ts"

/**
 * A builder is an application that routes orders: each order names at most one, by its code. Fills of these orders are what
 * is counted. A trade between two routed orders counts for each of them.
 */
export interface Builder {
  /** Null if no order in the ledger has its code. */
  readonly id: number | null
  /** 0x and 64 digits in lower case. */
  readonly code: string
  readonly profile: BuilderProfile | undefined
}

/** What the venue says about a builder. */
export interface BuilderProfile {
  readonly name: string | null
  readonly logo: string | null
  readonly isVerified: boolean
  readonly rank: number
  /** Of all time. The venue counts shares, not dollars. */
  readonly volume: Shares<bigint>
  readonly activeUsers: number
  /** When it last changed, and when it was last read. */
  readonly refreshedAt: Date
  readonly checkedAt: Date
}

/** In place of a builder: orders without one, and orders of every builder together. */
export const noBuilder = 0
export const everyBuilder = -1
/** An id that nothing has. */
export const unknownBuilder = -2

/** Amounts are integers of 10⁻⁶ dollars; volumes are by role and side of the order. */
export interface Figures {
  readonly fills: bigint
  readonly makerBuy: Usdc<bigint>
  readonly makerSell: Usdc<bigint>
  readonly takerBuy: Usdc<bigint>
  readonly takerSell: Usdc<bigint>
  /** Of the orders, less refunds. */
  readonly fees: Usdc<bigint>
  /** Unix seconds; null without fills. */
  readonly firstAt: number | null
  readonly lastAt: number | null
  /** Wallets whose orders were filled. */
  readonly users: number
}

export interface RankedBuilder extends Builder, Figures {
  readonly id: number
  readonly rank: number
}

export const builderSorts = ["volume", "fees", "fills", "users", "last_fill"] as const
export type BuilderSort = (typeof builderSorts)[number]

export interface BuilderDay extends Figures {
  /** Days since 1970. */
  readonly day: number
}

/** A day of every builder together. */
export interface RoutedDay extends BuilderDay {
  readonly builders: number
  /** What orders without a builder traded. */
  readonly unrouted: Usdc<bigint>
}

export interface Listed<A> {
  readonly rows: ReadonlyArray<A>
  readonly hasMore: boolean
  readonly asOf: AsOf | undefined
}

export const boardDays = { "1d": 1, "7d": 7, "30d": 30, all: 0 } as const
export type BoardPeriod = keyof typeof boardDays
export const boardPeriods = Object.keys(boardDays) as ReadonlyArray<BoardPeriod>

export const boardSorts = ["volume", "realized_pnl", "total_pnl"] as const
export type BoardSort = (typeof boardSorts)[number]

/** Of all markets that a wallet trades, as the leaderboards have it. Amounts are integers of 10⁻⁶. */
export interface UserPnl {
  /** In the period, as are profit, wins and losses; the rest is of all time. */
  readonly realized: Usdc<bigint>
  readonly profit: Usdc<bigint>
  readonly unrealized: Usdc<bigint>
  readonly wins: number
  readonly losses: number
  readonly positions: number
  readonly open: number
}

/** A wallet that used a builder in a period. */
export interface BoardUser {
  readonly id: number
  readonly wallet: string
  readonly fills: number
  readonly usd: Usdc<bigint>
  readonly fees: Usdc<bigint>
  /** Through the builder, of all time. Unix seconds. */
  readonly firstAt: number
  readonly lastAt: number
  /** Undefined while the boards do not count the wallet, or if the cost of a position is unknown. */
  readonly pnl: UserPnl | undefined
}

/** A version of the P&L that users are ranked by. */
export interface PnlVersion {
  readonly version: number
  readonly block: number
  readonly at: Date
}

/** Where a page ends: in descending order, ties by wallet. */
export interface BoardPlace {
  readonly value: bigint
  readonly wallet: number
}

export interface BoardPage {
  readonly rows: ReadonlyArray<BoardUser>
  readonly next: BoardPlace | undefined
  /** The counted block. */
  readonly counted: { readonly block: number; readonly at: Date }
  readonly pnl: PnlVersion | undefined
}

export class UnknownBuilder extends Schema.TaggedError<UnknownBuilder>()("UnknownBuilder", {
  given: Schema.String,
  /** The known name that was probably meant. */
  nearest: Schema.UndefinedOr(Schema.String),
}) {}

/** Several builders have the name. */
export class SharedName extends Schema.TaggedError<SharedName>()("SharedName", {
  name: Schema.String,
  codes: Schema.Array(Schema.String),
}) {}

/** Nothing is counted yet that could be ranked. */
export class NotRanked extends Schema.TaggedError<NotRanked>()("NotRanked", {}) {}
