/** What a wallet has, paid and earned of one token. Whole numbers of 10⁻⁶. */
export interface Position {
  readonly wallet: number
  readonly token: number
  shares: number
  /** Of the shares that are left. */
  cost: number
  realized: number
  bought: number
  sold: number
  redeemed: boolean
  changedAt: number
}

export const realizedKinds = ["sale", "merge", "refund", "resolution"] as const
export type RealizedKind = (typeof realizedKinds)[number]

/** A gain or a loss, at the place that brought it. */
export interface RealizedEvent {
  readonly block: number
  readonly logIndex: number
  readonly at: number
  readonly wallet: number
  readonly token: number
  readonly kind: RealizedKind
  readonly amount: number
}

export const positionStatuses = ["none", "open", "closed", "redeemable", "redeemed"] as const
export type PositionStatus = (typeof positionStatuses)[number]

/** `payout` is that of the token's outcome, undefined while its condition is open. */
export const statusOf = (position: Position | undefined, payout: number | undefined): PositionStatus => {
  if (position === undefined) return "none"
  if (position.shares > 0) return payout === undefined ? "open" : "redeemable"
  return position.redeemed ? "redeemed" : "closed"
}
