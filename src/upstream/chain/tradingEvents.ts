import type { Amount, Shares, Usdc } from "#src/domain/amounts.ts"
import type { Generation } from "./contracts.ts"

export type Side = "buy" | "sell"

/** The fill of an order, the same for every generation. */
interface Trade {
  readonly exchange: string
  readonly generation: Generation
  readonly orderHash: string
  /** Owner of the order; `side` is this wallet's. */
  readonly maker: string
  readonly side: Side
  readonly token: string
  readonly shares: Shares
  readonly usd: Usdc
}
export interface OrderFilled extends Trade {
  readonly _tag: "OrderFilled"
  /** The exchange itself if the order is the taker's own. */
  readonly taker: string
  readonly fee: Amount
  /** Buyers of the first generation pay in the shares they receive. */
  readonly feeIn: "collateral" | "shares"
  readonly builder: string | undefined
}
/** Repeats the fill of the taker's own order, after it. */
export interface OrdersMatched extends Trade {
  readonly _tag: "OrdersMatched"
}
export interface FeeCharged {
  readonly _tag: "FeeCharged"
  readonly exchange: string
  readonly receiver: string
  /** Undefined is collateral. */
  readonly token: string | undefined
  readonly amount: Amount
}
export interface FeeRefunded {
  readonly _tag: "FeeRefunded"
  readonly module: string
  readonly orderHash: string
  readonly to: string
  /** Undefined is collateral. */
  readonly token: string | undefined
  readonly refund: Amount
  readonly charged: Amount
}
/** Fees that the venue takes out of a fee module. */
export interface FeeWithdrawn {
  readonly _tag: "FeeWithdrawn"
  readonly module: string
  readonly to: string
  /** Undefined is collateral. */
  readonly token: string | undefined
  readonly amount: Amount
}
/** Emitted twice per market, the second time with token and complement swapped. */
export interface TokenRegistered {
  readonly _tag: "TokenRegistered"
  readonly exchange: string
  readonly token: string
  readonly complement: string
  readonly condition: string
}

interface Transferred {
  /** The CTF or the PositionManager. */
  readonly contract: string
  readonly operator: string
  readonly from: string
  readonly to: string
}
export interface TransferSingle extends Transferred {
  readonly _tag: "TransferSingle"
  readonly token: string
  readonly amount: Shares
}
export interface TransferBatch extends Transferred {
  readonly _tag: "TransferBatch"
  readonly tokens: ReadonlyArray<string>
  /** As many as tokens. */
  readonly amounts: ReadonlyArray<Shares>
}
export interface ApprovalForAll {
  readonly _tag: "ApprovalForAll"
  readonly contract: string
  readonly owner: string
  readonly operator: string
  readonly approved: boolean
}

export interface CollateralTransfer {
  readonly _tag: "CollateralTransfer"
  /** pUSD, USDC or USDC.e. */
  readonly asset: string
  readonly from: string
  readonly to: string
  readonly amount: Usdc
}
export interface CollateralApproval {
  readonly _tag: "CollateralApproval"
  readonly owner: string
  readonly spender: string
  /** Most allowances exceed any amount. */
  readonly amount: Usdc | "unlimited"
}
interface CollateralExchange {
  readonly caller: string
  /** Asset behind the pUSD: USDC or USDC.e. */
  readonly asset: string
  readonly to: string
  readonly amount: Usdc
}
export interface CollateralWrapped extends CollateralExchange {
  readonly _tag: "CollateralWrapped"
}
export interface CollateralUnwrapped extends CollateralExchange {
  readonly _tag: "CollateralUnwrapped"
}
