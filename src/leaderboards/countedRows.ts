import type { BoardRow, Snapshot, Sort } from "./asked.ts"
import { BoardRows } from "./BoardRows.ts"

/** Where the boards are, beside every row; a board without rows is one without a wallet. */
export interface CountedRow extends Omit<BoardRow, "wallet"> {
  readonly version: number
  readonly at: number
  readonly wallet: string | null
}

/** `leaderboard_state` as `s`. */
export const stateColumns = "s.version::float8 as version, floor(extract(epoch from s.at) * 1000)::float8 as at"

/** What is summed up of a wallet's positions, as `t`; nothing where a wallet has none. */
export const standingColumns = ["unrealized", "positions", "open", "volume"]
  .map((name) => `coalesce(t.${name}, 0)::float8 as ${name}`)
  .join(", ")

/** What is ranked, as `b`, with the address of the wallet. */
export const rankedColumns = `'0x' || encode(b.address, 'hex') as wallet, b.realized::float8 as realized,
  b.profit::float8 as profit, b.wins::float8 as wins, b.losses::float8 as losses`

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

export const snapshotOf = (rows: ReadonlyArray<CountedRow>): Snapshot<BoardRows> | undefined => {
  const [first] = rows
  if (first === undefined) return undefined
  const board = rows.filter((row): row is CountedRow & BoardRow => row.wallet !== null)
  return { version: first.version, at: first.at, rows: new BoardRows(board) }
}
