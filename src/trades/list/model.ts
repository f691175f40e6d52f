import { Schema } from "effect"
import type { Shares, Usdc } from "#src/domain/amounts.ts"
import type { AsOf } from "#src/ledger/asOf.ts"

export const tradeSides = ["buy", "sell"] as const
export const tradeSorts = ["timestamp", "amount_usd", "size"] as const
export type TradeSort = (typeof tradeSorts)[number]
export const tradeRoles = ["maker", "taker"] as const

/** Which fills a list has. All given conditions must hold. */
export interface TradeFilter {
  /** In lower case with 0x, as are order hash and builder. */
  readonly wallet?: string | undefined
  readonly tokenId?: string | undefined
  readonly conditionId?: string | undefined
  readonly marketSlug?: string | undefined
  readonly eventSlug?: string | undefined
  readonly eventId?: number | undefined
  /** These two are looked up for every fill that is examined, so that few may be. */
  readonly category?: string | undefined
  readonly tagSlug?: string | undefined
  readonly orderHash?: string | undefined
  readonly builder?: string | undefined
  readonly side?: (typeof tradeSides)[number] | undefined
  /** `taker` if the order started the match. */
  readonly role?: (typeof tradeRoles)[number] | undefined
  readonly minUsd?: Usdc<bigint> | undefined
  readonly minShares?: Shares<bigint> | undefined
  /** First second that is included. */
  readonly after?: number | undefined
  /** First second that is no longer included. */
  readonly before?: number | undefined
}

/** Where a fill is in the order of the chain. */
export interface TradePlace {
  readonly at: number
  readonly block: number
  readonly logIndex: number
}

/** Where a page of a list ends. */
export interface ListPlace extends TradePlace {
  /** What the list is sorted by, if not by time. */
  readonly value: bigint
}

export interface TradeQuery {
  readonly filter: TradeFilter
  readonly sortBy: TradeSort
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  /** The last fill of the page before. */
  readonly behind: ListPlace | undefined
  /** Whether a row is an order with all its fills; it stands where its first fill in the list would. */
  readonly byOrder: boolean
}

/** The fills of an order that a list has. Amounts are integers of 10⁻⁶. */
export interface OrderTotals {
  readonly fills: number
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly fee: Usdc<bigint>
  /** Unix seconds. */
  readonly firstAt: number
  readonly lastAt: number
  readonly txs: ReadonlyArray<string>
}

/** A fill with its market. Amounts are integers of 10⁻⁶; ids are in client form. */
export interface ListedTrade extends TradePlace {
  readonly tx: string
  readonly orderHash: string
  readonly maker: string
  /** The exchange if the order started the match. */
  readonly taker: string
  readonly isSale: boolean
  readonly startedMatch: boolean
  readonly token: string
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  /** In dollars, less its refund. */
  readonly fee: Usdc<bigint>
  readonly builder: string | null
  readonly condition: string | null
  readonly outcomeIndex: number | null
  readonly outcome: string | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
  readonly eventSlug: string | null
  readonly eventId: number | null
  /** Of a list by order. */
  readonly totals: OrderTotals | undefined
}

export interface TradePage {
  readonly trades: ReadonlyArray<ListedTrade>
  /** The next page begins behind this place; undefined at the end. A page may be short although there is another. */
  readonly next: ListPlace | undefined
  /** Undefined while the ledger is empty. */
  readonly asOf: AsOf | undefined
}

/** More fills match than can be sorted by anything but time. */
export class TooManyToSort extends Schema.TaggedError<TooManyToSort>()("TooManyToSort", { most: Schema.Int }) {}
