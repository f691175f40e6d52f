/** Of rolling boards, by the days that they reach back. */
export const rollingDays = { "1d": 1, "7d": 7, "30d": 30 } as const
export type RollingPeriod = keyof typeof rollingDays

/** Everything; categories and tags have numbers of their own. */
export const everything = 0

export const scopeKinds = ["category", "tag"] as const
export type ScopeKind = (typeof scopeKinds)[number]

export const rollingDepth = 1_000
export const standingDepth = 10_000

/** A block of the ledger and its time: what is counted is what happened up to here. */
export interface Reached {
  readonly block: number
  readonly at: Date
}

/** A token that comes to a scope (1) or leaves it (-1). */
export interface Rescoping {
  readonly token: number
  readonly scope: number
  readonly sign: 1 | -1
}
