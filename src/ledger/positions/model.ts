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
  /** For everything that was bought, before fees. */
  paid: number
  /** Of all its trades, before fees. */
  volume: number
  /** What its gains brought, of which its losses are not taken off. */
  profit: number
  wins: number
  losses: number
  /** Of its newest trade, nothing if it never was traded. */
  tradedAt: number | undefined
}

export const emptyPosition = (wallet: number, token: number): Position => ({
  wallet,
  token,
  shares: 0,
  cost: 0,
  realized: 0,
  bought: 0,
  sold: 0,
  redeemed: false,
  changedAt: 0,
  paid: 0,
  volume: 0,
  profit: 0,
  wins: 0,
  losses: 0,
  tradedAt: undefined,
})

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

/** `isResolved` is of the token's condition. */
export const statusOf = (
  { shares, redeemed }: Pick<Position, "shares" | "redeemed">,
  isResolved: boolean,
): Exclude<PositionStatus, "none"> => {
  if (shares > 0) return isResolved ? "redeemable" : "open"
  return redeemed ? "redeemed" : "closed"
}
