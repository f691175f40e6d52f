/** Of rolling boards, by the days that they reach back. */
export const rollingDays = { "1d": 1, "7d": 7, "30d": 30 } as const
export type RollingPeriod = keyof typeof rollingDays

/** Everything; categories and tags have numbers of their own. */
export const everything = 0

export const scopeKinds = ["category", "tag"] as const
export type ScopeKind = (typeof scopeKinds)[number]

export const rollingDepth = 1_000
export const standingDepth = 10_000
/**
 * How far down boards are mostly looked at; one more tells whether there are more. The first page is what most ask for when
 * boards have moved on, and alone it takes half the time or less.
 */
const shallowDepths = [101, 1_001]

/** How much of a board is read for so many ranks and the question whether there are more. */
export const depthFor = (period: RollingPeriod | "all", ranks: number): number => {
  const deepest = period === "all" ? standingDepth : rollingDepth
  return shallowDepths.find((depth) => ranks < depth && depth < deepest) ?? deepest
}

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
