import { type Usdc, usdc } from "#src/domain/amounts.ts"
import type { RealizedRow } from "./PnlStore.ts"

export interface RealizedTotal extends RealizedRow {
  /** The total that the wallet realized with the token, including this event. */
  readonly total: Usdc<bigint>
}

export const pairOf = ({ wallet, token }: Pick<RealizedRow, "wallet" | "token">) => `${wallet} ${token}`

/** The last event of each wallet and token. */
export const lastOfEach = (rows: ReadonlyArray<RealizedRow>): ReadonlyArray<RealizedRow> => [
  ...new Map(rows.map((row) => [pairOf(row), row])).values(),
]

/** The total after each event, computed backwards from the total after each pair's last event. */
export const runningTotals = (
  rows: ReadonlyArray<RealizedRow>,
  atLast: ReadonlyMap<string, Usdc<bigint>>,
): ReadonlyArray<RealizedTotal> => {
  const after = new Map(atLast)
  return rows
    .toReversed()
    .flatMap((row): ReadonlyArray<RealizedTotal> => {
      const total = after.get(pairOf(row))
      if (total === undefined) return []
      after.set(pairOf(row), usdc(total - row.amount))
      return [{ ...row, total }]
    })
    .toReversed()
}

/** Whether a change is reported: never one of zero. */
export const isReportedPnl = (change: Usdc<bigint>, min: Usdc | undefined): boolean =>
  change !== 0n && (change < 0n ? -change : change) >= BigInt(min ?? 0)
