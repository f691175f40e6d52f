import { Schema } from "effect"

/** The boards do not exist yet: the history is incomplete. */
export class NotBuilt extends Schema.TaggedError<NotBuilt>()("NotBuilt", {}) {}

/** The ledger is ahead and can no longer restore the boards' block. */
export class FallenBehind extends Schema.TaggedError<FallenBehind>()("FallenBehind", {}) {}

/** Rolling boards and their days. */
export const rollingDays = { "1d": 1, "7d": 7, "30d": 30 } as const
export type RollingPeriod = keyof typeof rollingDays

/** The scope of all markets; categories and tags have ids of their own. */
export const everything = 0

const scopeKinds = ["category", "tag"] as const
export type ScopeKind = (typeof scopeKinds)[number]

export const rollingDepth = 1_000
export const allTimeDepth = 10_000
/**
 * Depths to which boards are read; one row more shows whether there are more ranks. Most requests after a refresh want the
 * first page, and reading it alone takes half the time or less.
 */
const shallowDepths = [101, 1_001]

/** Rows to read for the requested ranks and one more. */
export const depthFor = (period: RollingPeriod | "all", ranks: number): number => {
  const deepest = period === "all" ? allTimeDepth : rollingDepth
  return shallowDepths.find((depth) => ranks < depth && depth < deepest) ?? deepest
}

/** The block, and its time, up to which the boards count. */
export interface CountedBlock {
  readonly block: number
  readonly at: Date
}

/** A token that enters a scope (1) or leaves it (-1). */
export interface Rescoping {
  readonly token: number
  readonly scope: number
  readonly sign: 1 | -1
}
