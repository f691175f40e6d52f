import type { Amount, Shares, Usdc } from "./amounts.ts"
import type { ModuleOperation } from "./ComboKind.ts"

/** When a log was emitted. */
export interface Moment {
  readonly block: number
  readonly logIndex: number
  /** Time of the block, in milliseconds. */
  readonly at: number
}

export interface ChainPosition extends Moment {
  /** 64 hexadecimal digits, as are order hashes, tokens, conditions and builders; wallets are 40. */
  readonly tx: string
}

/**
 * One filled order, from its own log. `Id` identifies wallets, tokens, conditions and builders: a name from the chain
 * (string), or an id of the ledger (number).
 */
export interface Fill<Id = string> extends ChainPosition {
  readonly kind: "fill"
  readonly exchange: string
  readonly orderHash: string
  /** Owner of the order. */
  readonly maker: Id
  /** Undefined for the order that started the match: its log names the exchange. */
  readonly taker: Id | undefined
  readonly side: "buy" | "sell"
  readonly token: Id
  readonly shares: Shares
  readonly usd: Usdc
  readonly fee: Amount
  readonly feeInShares: boolean
  readonly builder: Id | undefined
}

/** A fee, in shares of the order's token or in collateral. */
export interface FeeCharge<Id = string> extends ChainPosition {
  readonly kind: "fee_charge"
  readonly receiver: Id
  readonly token: Id
  readonly inShares: boolean
  readonly amount: Amount
  /** Value of the fee at the order's own price. */
  readonly usd: Usdc
  readonly orderHash: string
}

/** A refund of part of a fee, in shares of the order's token or in collateral. */
export interface FeeRefund<Id = string> extends ChainPosition {
  readonly kind: "fee_refund"
  readonly wallet: Id
  readonly token: Id
  readonly inShares: boolean
  readonly amount: Amount
  readonly orderHash: string
}

/**
 * Shares of a wallet that change without an order, split or transfer of its own: an operator of the first exchanges fills
 * orders from its stock and receives fees in shares.
 */
export interface StockChange<Id = string> extends ChainPosition {
  readonly kind: "stock_change"
  /** Always 0: such a log changes one token. */
  readonly sub: number
  readonly wallet: Id
  readonly token: Id
  /** Received, or given up (negative). */
  readonly shares: Shares
  /** Collateral received, or paid (negative). */
  readonly paid: Usdc
}

/** A split turns collateral into one share of each outcome; a merge reverses it. */
export interface PairChange<Id = string> extends ChainPosition {
  readonly kind: "split" | "merge"
  readonly wallet: Id
  readonly condition: Id
  readonly tokens: readonly [Id, Id]
  readonly amount: Shares
}

export interface Redemption<Id = string> extends ChainPosition {
  readonly kind: "redemption"
  readonly wallet: Id
  readonly condition: Id
  readonly redeemed: ReadonlyArray<{ readonly token: Id; readonly shares: Shares }>
  readonly payout: Usdc
}

/**
 * Exchanges tokens of a wallet for others: NO of some questions of an event for YES of all others and collateral, or one
 * combo for another, or a token of the older contracts for the same of Protocol V2. Either side may be empty; then
 * collateral is paid or received for the other.
 */
export interface Conversion<Id = string> extends ChainPosition {
  readonly kind: "conversion"
  readonly wallet: Id
  /** Only within Protocol V2. */
  readonly operation: ModuleOperation | undefined
  /** Undefined in Protocol V2. */
  readonly negRiskMarket: string | undefined
  /** Indexes of the questions whose NO is converted, ascending. */
  readonly questions: ReadonlyArray<number>
  /** Tokens given up, `amount` of each. */
  readonly nos: ReadonlyArray<Id>
  /** Tokens received, `received` of each. */
  readonly yeses: ReadonlyArray<Id>
  readonly amount: Shares
  /** Less than `amount` if there is a fee. */
  readonly received: Shares
  /** Collateral received, or paid (negative). */
  readonly paid: Usdc
}

/** A transfer of shares without a trade. */
export interface Transfer<Id = string> extends ChainPosition {
  readonly kind: "transfer"
  /** Index within a log that moves several tokens. */
  readonly sub: number
  readonly sender: Id
  readonly receiver: Id
  readonly token: Id
  readonly shares: Shares
}

export interface Resolution<Id = string> extends ChainPosition {
  readonly kind: "resolution"
  /** 0 for the condition that the log names; other resolutions follow from it without a log of their own. */
  readonly sub: number
  readonly condition: Id
  /** Payout of each outcome, in proportion. */
  readonly payouts: ReadonlyArray<number>
}

/** Collateral of the venue that a wallet receives, or gives up (negative). */
export interface CollateralFlow<Id = string> extends ChainPosition {
  readonly kind: "collateral_flow"
  readonly wallet: Id
  readonly amount: Usdc
}

/** Collateral that the venue pays a maker: a reward for liquidity, or a rebate of fees. */
export interface MakerPayment<Id = string> extends ChainPosition {
  readonly kind: "maker_payment"
  readonly wallet: Id
  readonly purpose: "reward" | "rebate"
  readonly amount: Usdc
}

/** A condition that combines several outcomes and wins if all of them do. */
export interface Combo<Id = string> extends ChainPosition {
  readonly kind: "combo"
  readonly condition: Id
  readonly legs: ReadonlyArray<string>
}

/** The name that the newer contracts give to a condition of the older ones, so that combos can include it. */
export interface ConditionRename<Id = string> extends ChainPosition {
  readonly kind: "condition_rename"
  readonly condition: Id
  readonly legacy: Id
}

export type Fact<Id = string> =
  | Fill<Id>
  | FeeCharge<Id>
  | FeeRefund<Id>
  | StockChange<Id>
  | PairChange<Id>
  | Redemption<Id>
  | Conversion<Id>
  | Transfer<Id>
  | Resolution<Id>
  | CollateralFlow<Id>
  | MakerPayment<Id>
  | Combo<Id>
  | ConditionRename<Id>

export type FactKind = Fact["kind"]

/** The part of a fact that position bookkeeping reads. */
export type PositionFact<Id> =
  | Omit<Fill<Id>, "tx" | "exchange" | "orderHash" | "taker" | "builder">
  | Omit<FeeRefund<Id>, "tx" | "orderHash">
  | Omit<StockChange<Id>, "tx" | "sub">
  | Omit<PairChange<Id>, "tx" | "condition">
  | Omit<Redemption<Id>, "tx" | "condition">
  | Omit<Conversion<Id>, "tx" | "operation" | "negRiskMarket" | "questions">
  | Omit<Transfer<Id>, "tx" | "sub">
  | Omit<Resolution<Id>, "tx" | "sub">
  | (Moment & { readonly kind: "fee_charge" | "collateral_flow" | "maker_payment" | "combo" | "condition_rename" })

/** The outcome tokens of a condition. */
export interface TokenPair {
  readonly condition: string
  readonly tokens: readonly [string, string]
}
