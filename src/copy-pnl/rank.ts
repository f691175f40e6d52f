import { type CopyScore, isToxic, slippageOf, slippageRate } from "./copyPnl.ts"
import type { Address, Followed, StoredScore } from "./model.ts"

/** Sort orders of followed wallets; null comes last in either direction. */
export const sortings = {
  backtest_copy_pnl_usdc: ({ backtest }) => backtest,
  actual_pnl_usdc: ({ actual }) => actual,
  slippage_amount_usdc: slippageOf,
  slippage_cost_rate_pct: slippageRate,
  trade_count: ({ trades }) => trades,
} as const satisfies Readonly<Record<string, (score: CopyScore) => bigint | number | null>>
export type Sorting = keyof typeof sortings

export interface BoardOptions {
  readonly days: number
  readonly sortBy: Sorting
  readonly order: "asc" | "desc"
  readonly minTrades: number
  readonly excludeToxic: boolean
}

export interface RankedWallet {
  readonly wallet: Address
  readonly score: StoredScore
}

export interface CopyBoard {
  readonly ranked: ReadonlyArray<RankedWallet>
  /** Counted before filters. */
  readonly scored: number
  readonly pending: ReadonlyArray<Address>
  readonly errored: ReadonlyArray<Followed>
}

/** Every followed wallet is scored, pending or errored; only the scored ones are ranked. */
export const rank = (
  followed: ReadonlyArray<Followed>,
  { days, sortBy, order, minTrades, excludeToxic }: BoardOptions,
): CopyBoard => {
  const value: (score: CopyScore) => bigint | number | null = sortings[sortBy]
  const up = order === "asc" ? 1 : -1
  const scored: Array<RankedWallet> = []
  const pending: Array<Address> = []
  const errored: Array<Followed> = []
  for (const each of followed) {
    const score = each.scores.get(days)
    if (each.error !== undefined) errored.push(each)
    else if (score === undefined) pending.push(each.wallet)
    else scored.push({ wallet: each.wallet, score })
  }
  const ranked = scored
    .filter(({ score }) => score.trades >= minTrades && !(excludeToxic && isToxic(score)))
    .map((each) => ({ each, key: value(each.score) }))
    .toSorted((a, b) => {
      if (a.key === b.key) return a.each.wallet < b.each.wallet ? -1 : 1
      if (a.key === null) return 1
      if (b.key === null) return -1
      return a.key < b.key ? -up : up
    })
    .map(({ each }) => each)
  return { ranked, scored: scored.length, pending, errored }
}

/** Time of the newest of these scores. */
export const newestOf = (followed: ReadonlyArray<Followed>): Date | undefined => {
  const times = followed.flatMap(({ scores }) => [...scores.values()].map(({ computedAt }) => computedAt.getTime()))
  const newest = times.reduce((latest, time) => Math.max(latest, time), Number.NEGATIVE_INFINITY)
  return Number.isFinite(newest) ? new Date(newest) : undefined
}
