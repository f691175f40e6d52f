/** Where on the chain something happened. */
export interface Place {
  readonly block: number
  readonly logIndex: number
  /** Of the block, in milliseconds. */
  readonly at: number
  /** 64 hexadecimal digits, as are order hashes, tokens, conditions and builders; wallets are 40. */
  readonly tx: string
}

/** One filled order, told by its own log. */
export interface Fill extends Place {
  readonly kind: "fill"
  readonly exchange: string
  readonly orderHash: string
  /** Whose order it was. */
  readonly maker: string
  /** Undefined for the order that started the match: its log names the exchange. */
  readonly taker: string | undefined
  readonly side: "buy" | "sell"
  readonly token: string
  readonly shares: number
  readonly usd: number
  readonly fee: number
  readonly feeInShares: boolean
  readonly builder: string | undefined
}

/** A fee goes to whoever collects it, in shares of the order's token or in collateral. */
export interface FeeCharge extends Place {
  readonly kind: "fee_charge"
  readonly receiver: string
  readonly token: string
  readonly inShares: boolean
  readonly amount: number
  /** What it is worth at the order's own price. */
  readonly usd: number
  readonly orderHash: string
}

/** A part of a fee is given back, in shares of the order's token or in collateral. */
export interface FeeRefund extends Place {
  readonly kind: "fee_refund"
  readonly wallet: string
  readonly token: string
  readonly inShares: boolean
  readonly amount: number
  readonly orderHash: string
}

/** Collateral becomes one share of each outcome, or the other way round. */
export interface PairChange extends Place {
  readonly kind: "split" | "merge"
  readonly wallet: string
  readonly condition: string
  readonly tokens: readonly [string, string]
  readonly amount: number
}

export interface Redemption extends Place {
  readonly kind: "redemption"
  readonly wallet: string
  readonly condition: string
  readonly handedIn: ReadonlyArray<{ readonly token: string; readonly shares: number }>
  readonly payout: number
}

/** NO of some questions of an event become YES of all others, and collateral for all NOs but one. */
export interface Conversion extends Place {
  readonly kind: "conversion"
  readonly wallet: string
  readonly negRiskMarket: string
  /** Places of the questions whose NO is given up, rising. */
  readonly questions: ReadonlyArray<number>
  readonly nos: ReadonlyArray<string>
  readonly yeses: ReadonlyArray<string>
  readonly amount: number
  readonly paid: number
}

/** Shares change hands without a trade. */
export interface Transfer extends Place {
  readonly kind: "transfer"
  /** Place within a log that moves several tokens. */
  readonly sub: number
  readonly sender: string
  readonly receiver: string
  readonly token: string
  readonly shares: number
}

export interface Resolution extends Place {
  readonly kind: "resolution"
  readonly condition: string
  /** What each outcome pays, in proportion. */
  readonly payouts: ReadonlyArray<number>
}

/** The collateral of the venue comes to a wallet, or leaves it (below zero). */
export interface CollateralFlow extends Place {
  readonly kind: "collateral_flow"
  readonly wallet: string
  readonly amount: number
}

/** Several outcomes are put together into one that wins if all of them do. */
export interface Combo extends Place {
  readonly kind: "combo"
  readonly condition: string
  readonly legs: ReadonlyArray<string>
}

/** The newer contracts give a condition of the older ones another name, so that combos can be made of it. */
export interface ConditionRename extends Place {
  readonly kind: "condition_rename"
  readonly condition: string
  readonly legacy: string
}

export type Fact =
  | Fill
  | FeeCharge
  | FeeRefund
  | PairChange
  | Redemption
  | Conversion
  | Transfer
  | Resolution
  | CollateralFlow
  | Combo
  | ConditionRename

export type FactKind = Fact["kind"]

/** Which tokens are the outcomes of a condition, learnt from whoever first made them. */
export interface TokenPair {
  readonly condition: string
  readonly tokens: readonly [string, string]
}
