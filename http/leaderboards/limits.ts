import type { Sort } from "#src/leaderboards/asked.ts"

/** Rows of a page of a board. */
export const mostRows = 100

export const mostScopes = 200
export const defaultScopes = 100
export const deepestScope = 10_000

/** By the names that clients use; the first is used when none is given. */
export type Sorts = Readonly<Record<string, Sort>>

export const allTimeSorts: Sorts = {
  total: "total",
  total_pnl: "total",
  realized: "realized",
  realized_pnl: "realized",
  profit: "profit",
  loss: "loss",
  volume: "volume",
  wins: "wins",
  positions: "positions",
  unrealized: "unrealized",
}
export const rollingSorts: Sorts = { realized: "realized", realized_pnl: "realized" }

export const tagSorts: Sorts = {
  net_pnl: "realized",
  realized_pnl: "realized",
  gross_profit: "profit",
  gross_loss: "loss",
  total_volume: "volume",
  position_count: "positions",
}
export const rollingTagSorts: Sorts = { net_pnl: "realized", realized_pnl: "realized" }
