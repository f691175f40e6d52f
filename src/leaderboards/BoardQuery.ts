import type { Usdc } from "#src/domain/amounts.ts"
import type { CoverageStart } from "#src/ledger/coverage/CoverageStore.ts"
import type { RollingPeriod, ScopeKind } from "./model.ts"

export type BoardPeriod = RollingPeriod | "all"

/** Sort orders of all-time boards, highest first; rolling boards sort by realized P&L only. */
export const sorts = ["total", "realized", "profit", "loss", "volume", "wins", "positions", "unrealized"] as const
export type Sort = (typeof sorts)[number]

/** Scopes with stored sums. */
export type KeptScope = { readonly kind: "everything" } | { readonly kind: ScopeKind; readonly value: string }

/** Scopes computed on request. A market is given by slug, condition or token. */
export interface MarketScope {
  readonly kind: "market" | "event" | "condition" | "token"
  readonly value: string
}

/** All combos; computed on request as well. */
interface ComboScope {
  readonly kind: "combos"
}

export type BoardScope = KeptScope | MarketScope

export const isKept = (scope: BoardQuery["scope"]): scope is KeptScope =>
  scope.kind === "everything" || scope.kind === "category" || scope.kind === "tag"

export interface Ranking {
  readonly period: BoardPeriod
  readonly sort: Sort
  /** Whether wallets with a partial position in the scope are ranked too: their result is incomplete. */
  readonly withPartial: boolean
}

export interface BoardQuery extends Ranking {
  readonly scope: BoardScope | ComboScope
  /** Requested ranks. */
  readonly ranks: number
}

/** Money in millionths. Realized P&L is of the period; the other figures are of all time. */
export interface BoardRow {
  readonly wallet: string
  readonly realized: Usdc
  readonly profit: Usdc
  readonly wins: number
  readonly losses: number
  readonly unrealized: Usdc
  readonly positions: number
  readonly open: number
  readonly volume: Usdc
  /** Positions of unknown cost, which the other figures leave out except for their volume. */
  readonly partial: number
}

export interface ScopeRow {
  readonly value: string
  readonly wallets: number
}

/** Rows of one version of the boards, and the time up to which they count. */
export interface Snapshot<Rows extends { readonly length: number }> {
  readonly version: number
  readonly at: number
  /** The positions that they count; undefined if they were counted before this was recorded. */
  readonly covers?: CoverageStart | undefined
  readonly rows: Rows
}
