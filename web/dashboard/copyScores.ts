/** The parts of the copy pool that the dashboard shows. */

export interface Score {
  readonly actual_pnl_usdc: number
  readonly backtest_copy_pnl_usdc: number
  readonly slippage_cost_rate_pct: number | null
  readonly toxic_for_copying: boolean
  readonly trade_count: number
  readonly partial: boolean
  readonly computed_at: number
}

export interface ScoredWallet {
  readonly wallet: string
  readonly periods: Readonly<Record<string, Score | null>>
  readonly error?: { readonly error: string; readonly ts: number }
}

export interface Snapshot {
  readonly periods: ReadonlyArray<string>
  readonly wallets: ReadonlyArray<ScoredWallet>
}

const daysOf = (period: string) => Number.parseInt(period, 10)

/**
 * The copier's result since the start of the longest period. All periods end now, so the result up to the start of a shorter
 * one is what the longest has more than it.
 */
export const curveOf = ({ periods }: ScoredWallet): ReadonlyArray<readonly [daysAgo: number, usdc: number]> => {
  const scored = Object.entries(periods)
    .flatMap(([period, score]) =>
      score === null ? [] : [{ days: daysOf(period), usdc: score.backtest_copy_pnl_usdc }],
    )
    .sort((a, b) => b.days - a.days)
  const whole = scored[0]
  if (whole === undefined) return []
  return [...scored.map(({ days, usdc }) => [-days, whole.usdc - usdc] as const), [0, whole.usdc] as const]
}
