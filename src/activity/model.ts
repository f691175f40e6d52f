import type { Shares, Usdc } from "#src/domain/amounts.ts"
import type { AsOf } from "#src/ledger/asOf.ts"

/** What a list of activity may have. Equal places are listed in this order; transfers are seen from one side. */
export const activityKinds = ["split", "merge", "redemption", "conversion", "transfer_in", "transfer_out"] as const
export type ActivityKind = (typeof activityKinds)[number]

export const flowKinds = ["all", "deposit", "withdrawal"] as const
export type FlowKind = (typeof flowKinds)[number]

/** Which facts a list has. All given conditions must hold. */
export interface ActivityFilter {
  /** Whose facts, in lower case with 0x: the wallet, or the receiver of fees. Everybody's if undefined. */
  readonly owner: string | undefined
  /** First second that is included. */
  readonly after?: number | undefined
  /** First second that is no longer included. */
  readonly before?: number | undefined
}

/** Where a fact is in a list: in the order of the chain, then by kind, because one log may cause several facts. */
export interface ActivityPlace {
  /** Unix seconds. */
  readonly at: number
  readonly block: number
  readonly logIndex: number
  readonly kind: number
  /** Index within a log that causes several facts of one kind. */
  readonly sub: number
}

export interface ActivityQuery {
  readonly filter: ActivityFilter
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  /** The last fact of the page before. */
  readonly behind: ActivityPlace | undefined
}

export interface ActivityPage<A> {
  readonly rows: ReadonlyArray<A>
  /** The next page begins behind this place; undefined at the end. */
  readonly next: ActivityPlace | undefined
  /** Undefined while the ledger is empty. */
  readonly asOf: AsOf | undefined
}

/** What every listed fact has. Amounts are integers of 10⁻⁶; ids are in client form. */
export interface Listed extends ActivityPlace {
  readonly tx: string
}

/** Names are null while the market is not listed. */
export interface ListedMarket {
  readonly condition: string | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
}

export interface ListedAct extends Listed, ListedMarket {
  readonly type: ActivityKind
  /** Collateral that is split or merged, the payout of a redemption, converted shares, or transferred ones. */
  readonly amount: Usdc<bigint> | Shares<bigint>
  /** Of a transfer. */
  readonly token: string | null
  /** Of a transfer: the other wallet. */
  readonly other: string | null
  /** Of a conversion; null in Protocol V2. */
  readonly negRiskMarket: string | null
  /** Of a conversion: indexes of the questions whose NO is converted; null if not recorded. */
  readonly questions: ReadonlyArray<number> | null
  /** Of a conversion: all questions of its market. */
  readonly questionCount: number | null
  /** Of a redemption: outcomes of the tokens that were given up. */
  readonly outcomes: ReadonlyArray<number> | null
}

export interface ListedRedemption extends Listed, ListedMarket {
  readonly payout: Usdc<bigint>
  /** Whether a contract of the second protocol generation paid. */
  readonly isOfModule: boolean
  /** Indexes of the outcomes that were given up. */
  readonly redeemed: ReadonlyArray<number>
  readonly eventTitle: string | null
  readonly eventSlug: string | null
  readonly negRisk: boolean | null
  /** By outcome. */
  readonly tokens: ReadonlyArray<string>
  readonly outcomes: ReadonlyArray<string> | null
  readonly payouts: ReadonlyArray<bigint> | null
  readonly resolvedAt: Date | null
}

/** Collateral that a wallet received, or gave up (negative). */
export interface ListedFlow extends Listed {
  readonly amount: Usdc<bigint>
}

/** Sums over everything that matches, on the page or not. */
export interface FlowTotals {
  readonly rows: number
  readonly deposited: Usdc<bigint>
  readonly withdrawn: Usdc<bigint>
}

/** A fee that a receiver was paid. */
export interface ListedFee extends Listed {
  readonly receiver: string
  /** In dollars. */
  readonly amount: Usdc<bigint>
  readonly token: string
  readonly orderHash: string
}

/** A fill whose order was charged a fee. */
export interface ListedFeePaid extends Listed, ListedMarket {
  readonly maker: string
  /** The exchange if the order started the match. */
  readonly taker: string
  readonly isSale: boolean
  readonly token: string
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly orderHash: string
  /** In dollars, as charged. */
  readonly charged: Usdc<bigint>
  /** In dollars, less its refund. */
  readonly paid: Usdc<bigint>
}
