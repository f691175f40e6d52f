// Rows of the ledger, with dictionary ids for wallets, tokens and conditions. Hashes are hexadecimal digits without 0x.

import type { Shares, Usdc } from "#src/domain/amounts.ts"

/** What all facts have. */
export interface FactRow {
  readonly block: number
  readonly log_index: number
  /** The block's time. */
  readonly at: Date
  readonly tx: string
}

export interface FillRow extends FactRow {
  readonly order_hash: string
  readonly maker: number
  /** Null for the order that started the match. */
  readonly taker: number | null
  readonly exchange: number
  readonly side: number
  readonly token: number
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  /** In shares if `fee_in_shares`. */
  readonly fee: Usdc<bigint> | Shares<bigint>
  readonly fee_in_shares: boolean
  /** Code of the builder that routed the order. */
  readonly builder: string | null
}

/** A fee paid to a receiver. */
export interface FeeRow extends FactRow {
  readonly receiver: number
  readonly token: number
  /** In dollars, also if it was taken in shares. */
  readonly usd: Usdc<bigint>
  readonly order_hash: string
}

/** A split or a merge. */
export interface PairRow extends FactRow {
  readonly wallet: number
  readonly condition: number
  readonly amount: Shares<bigint>
}

export interface RedemptionRow extends FactRow {
  readonly wallet: number
  readonly condition: number
  readonly tokens: ReadonlyArray<number>
  readonly shares: ReadonlyArray<Shares<bigint>>
  readonly payout: Usdc<bigint>
  /** Payouts of the condition, if known. */
  readonly payouts: ReadonlyArray<bigint> | null
}

export interface ConversionRow extends FactRow {
  readonly wallet: number
  /** Null in Protocol V2. */
  readonly neg_risk_market: string | null
  /** Indexes of the questions whose NO is converted; null if not recorded. */
  readonly questions: ReadonlyArray<number> | null
  readonly nos: ReadonlyArray<number>
  readonly yeses: ReadonlyArray<number>
  readonly amount: Shares<bigint>
  readonly paid: Usdc<bigint>
  /** Index of what a module did; null in the older contracts, and if it was read before this was recorded. */
  readonly operation: number | null
}

export interface TransferRow extends FactRow {
  readonly sub: number
  readonly sender: number
  readonly receiver: number
  readonly token: number
  readonly shares: Shares<bigint>
  /** Whether its log moves several tokens. */
  readonly batch: boolean
}

export interface ResolutionRow extends FactRow {
  readonly sub: number
  readonly condition: number
  readonly payouts: ReadonlyArray<bigint>
}

/** Its legs are part of its names. */
export interface ComboRow extends FactRow {
  readonly condition: number
}

export interface FlowRow extends FactRow {
  readonly wallet: number
  /** Negative for a withdrawal. */
  readonly amount: Usdc<bigint>
}

export interface OrderRow {
  readonly settlement: bigint
  readonly place: number
  readonly order_hash: string
  readonly maker: number
  readonly signer: string
  readonly token: number
  readonly side: number
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly fee: Usdc<bigint>
}

export interface SettlementRow {
  readonly id: bigint
  readonly tx: string
  readonly exchange: number
  readonly condition: number
  readonly detected_at: Date
  /** The taker's order comes first. */
  readonly orders: ReadonlyArray<OrderRow>
}

export interface MarketRow {
  readonly id: number
  readonly condition: string | null
  readonly tokens: ReadonlyArray<string>
  readonly question: string
  readonly slug: string
  readonly image: string | null
  readonly outcomes: ReadonlyArray<string>
  readonly payouts: ReadonlyArray<number> | null
  readonly created_at: Date | null
  readonly resolved_at: Date | null
  readonly event_slug: string | null
  readonly tags: ReadonlyArray<string> | null
}
