import type { RealizedRow } from "./PnlStore.ts"

export interface Totalled extends RealizedRow {
  /** Everything that the wallet realized with the token, this included. */
  readonly total: bigint
}

export const pairOf = ({ wallet, token }: Pick<RealizedRow, "wallet" | "token">) => `${wallet} ${token}`

/** The last event of each wallet and token. */
export const lastOfEach = (rows: ReadonlyArray<RealizedRow>): ReadonlyArray<RealizedRow> => [
  ...new Map(rows.map((row) => [pairOf(row), row])).values(),
]

/** From what was realized after the last event of each pair, backwards: what it was after each. */
export const runningTotals = (
  rows: ReadonlyArray<RealizedRow>,
  atLast: ReadonlyMap<string, bigint>,
): ReadonlyArray<Totalled> => {
  const after = new Map(atLast)
  return rows
    .toReversed()
    .flatMap((row): ReadonlyArray<Totalled> => {
      const total = after.get(pairOf(row))
      if (total === undefined) return []
      after.set(pairOf(row), total - row.amount)
      return [{ ...row, total }]
    })
    .toReversed()
}

/** Whether the difference to what was told last is told; a change of nothing never is. */
export const isPnlTold = (change: bigint, leastMicros: number | undefined): boolean =>
  change !== 0n && (change < 0n ? -change : change) >= BigInt(leastMicros ?? 0)
