/**
 * What the ledger says, with the dictionary's numbers for wallets, tokens and conditions. Hashes are hexadecimal digits
 * without 0x, amounts whole numbers of 10⁻⁶.
 */
export interface PlaceRow {
  readonly block: number
  readonly log_index: number
  /** Of the block. */
  readonly at: Date
  readonly tx: string
}

export interface FillRow extends PlaceRow {
  readonly order_hash: string
  readonly maker: number
  /** Null for the order that started the match. */
  readonly taker: number | null
  readonly exchange: number
  readonly side: number
  readonly token: number
  readonly shares: bigint
  readonly usd: bigint
  readonly fee: bigint
  readonly fee_in_shares: boolean
  /** Code of the builder that the order came through. */
  readonly builder: string | null
}

/** What somebody was paid of an order's fee. */
export interface FeeRow extends PlaceRow {
  readonly receiver: number
  readonly token: number
  /** What it is worth, where it was taken in shares. */
  readonly usd: bigint
  readonly order_hash: string
}

/** A split or a merge. */
export interface PairRow extends PlaceRow {
  readonly wallet: number
  readonly condition: number
  readonly amount: bigint
}

export interface RedemptionRow extends PlaceRow {
  readonly wallet: number
  readonly condition: number
  readonly tokens: ReadonlyArray<number>
  readonly shares: ReadonlyArray<bigint>
  readonly payout: bigint
  /** How the condition was decided, where that is known. */
  readonly payouts: ReadonlyArray<bigint> | null
}

export interface ConversionRow extends PlaceRow {
  readonly wallet: number
  readonly neg_risk_market: string
  /** Places of the questions whose NO is given up; null where they were not kept. */
  readonly questions: ReadonlyArray<number> | null
  readonly nos: ReadonlyArray<number>
  readonly yeses: ReadonlyArray<number>
  readonly amount: bigint
  readonly paid: bigint
}

export interface TransferRow extends PlaceRow {
  readonly sub: number
  readonly sender: number
  readonly receiver: number
  readonly token: number
  readonly shares: bigint
  /** Whether its log moves several tokens. */
  readonly batch: boolean
}

export interface ResolutionRow extends PlaceRow {
  readonly condition: number
  readonly payouts: ReadonlyArray<bigint>
}

/** What it is made of belongs to its names. */
export interface ComboRow extends PlaceRow {
  readonly condition: number
}

export interface FlowRow extends PlaceRow {
  readonly wallet: number
  /** Below zero where it leaves. */
  readonly amount: bigint
}

export interface OrderRow {
  readonly settlement: bigint
  readonly place: number
  readonly order_hash: string
  readonly maker: number
  readonly signer: string
  readonly token: number
  readonly side: number
  readonly shares: bigint
  readonly usd: bigint
  readonly fee: bigint
}

export interface SettlementRow {
  readonly id: bigint
  readonly tx: string
  readonly exchange: number
  readonly condition: number
  readonly detected_at: Date
  /** Who started the match comes first. */
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
