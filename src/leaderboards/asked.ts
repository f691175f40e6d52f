import type { RollingPeriod, ScopeKind } from "./model.ts"

export type Period = RollingPeriod | "all"

/** What boards of all time are ranked by, highest first; rolling ones only by what was realized. */
export const sorts = ["total", "realized", "profit", "loss", "volume", "wins", "positions", "unrealized"] as const
export type Sort = (typeof sorts)[number]

/** Sums that are kept up to date. */
export type KeptScope = { readonly kind: "everything" } | { readonly kind: ScopeKind; readonly value: string }

/** Worked out when somebody asks. A market goes by its slug, its condition or one of its tokens. */
export interface MarketScope {
  readonly kind: "market" | "event" | "condition" | "token"
  readonly value: string
}

export type BoardScope = KeptScope | MarketScope

export interface AskedBoard {
  readonly scope: BoardScope
  readonly period: Period
  readonly sort: Sort
  /** How many ranks somebody wants to see, and whether there are more. */
  readonly ranks: number
}

/** Money is whole numbers of 10⁻⁶. What was realized is of the period, the rest of all time. */
export interface BoardRow {
  readonly wallet: string
  readonly realized: number
  readonly profit: number
  readonly wins: number
  readonly losses: number
  readonly unrealized: number
  readonly positions: number
  readonly open: number
  readonly volume: number
}

export interface ScopeRow {
  readonly value: string
  readonly wallets: number
}

/** Rows of one version of the boards, and the moment up to which everything is counted in them. */
export interface Snapshot<Rows extends { readonly length: number }> {
  readonly version: number
  readonly at: number
  readonly rows: Rows
}
