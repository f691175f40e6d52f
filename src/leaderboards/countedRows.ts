import type { Snapshot, Sort } from "./asked.ts"
import { BoardRows } from "./BoardRows.ts"

/** A whole board, and where the boards are; one without rows is none at all. */
export interface CountedRows {
  readonly version: number
  readonly at: number
  readonly rows: Uint8Array | null
}

/** `leaderboard_state` as `s`. */
export const stateColumns = "s.version::float8 as version, floor(extract(epoch from s.at) * 1000)::float8 as at"

export const sortColumns: Readonly<Record<Sort, string>> = {
  total: "realized + unrealized",
  realized: "realized",
  profit: "profit",
  loss: "profit - realized",
  volume: "volume",
  wins: "wins",
  positions: "positions",
  unrealized: "unrealized",
}

export const snapshotOf = ([found]: ReadonlyArray<CountedRows>): Snapshot<BoardRows> | undefined =>
  found && { version: found.version, at: found.at, rows: new BoardRows(found.rows ?? new Uint8Array()) }
