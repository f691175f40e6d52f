import { type Shares, shares, type Usdc, usdc } from "#src/domain/amounts.ts"
import type { Moment } from "#src/domain/Fact.ts"

/** A wallet's holding, cost and profit of one token. Whole numbers of 10⁻⁶. */
export interface Position {
  readonly wallet: number
  readonly token: number
  shares: Shares
  /** Cost of the remaining shares. */
  cost: Usdc
  realized: Usdc
  bought: Shares
  sold: Shares
  redeemed: boolean
  /**
   * Whether some of its shares were acquired before the first block that positions count. Its cost is then unknown and
   * stays 0, and nothing is realized.
   */
  partial: boolean
  changedAt: number
  /** For all bought shares, before fees. */
  paid: Usdc
  /** Of all trades, before fees. */
  volume: Usdc
  /** Sum of the gains, without the losses. */
  profit: Usdc
  wins: number
  losses: number
  /** Time of the newest trade; undefined if there was none. */
  tradedAt: number | undefined
}

export const emptyPosition = (wallet: number, token: number): Position => ({
  wallet,
  token,
  shares: shares(0),
  cost: usdc(0),
  realized: usdc(0),
  bought: shares(0),
  sold: shares(0),
  redeemed: false,
  partial: false,
  changedAt: 0,
  paid: usdc(0),
  volume: usdc(0),
  profit: usdc(0),
  wins: 0,
  losses: 0,
  tradedAt: undefined,
})

export const realizedKinds = ["sale", "merge", "refund", "resolution"] as const
export type RealizedKind = (typeof realizedKinds)[number]

/** A realized gain or loss. */
export interface RealizedEvent extends Moment {
  readonly wallet: number
  readonly token: number
  readonly kind: RealizedKind
  readonly amount: Usdc
}

export const positionStatuses = ["none", "open", "closed", "redeemable", "redeemed"] as const
export type PositionStatus = (typeof positionStatuses)[number]

/** `payout`: of a share, undefined while its condition is open. Shares that pay nothing are not redeemable. */
export const statusOf = (
  { shares: held, redeemed }: Pick<Position, "shares" | "redeemed">,
  payout: number | undefined,
): Exclude<PositionStatus, "none"> => {
  if (held <= 0) return redeemed ? "redeemed" : "closed"
  if (payout === undefined) return "open"
  return payout > 0 ? "redeemable" : "closed"
}
