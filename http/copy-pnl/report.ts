import type { Address } from "#src/copy-pnl/model.ts"
import type { Report, ReportRequest, Trade } from "#src/copy-pnl/reports/model.ts"
import { exactAmount } from "#src/domain/amounts.ts"
import { priceOf, sideOf } from "#src/feed/amounts.ts"
import type { CoverageField } from "#src/ledger/coverage/shape.ts"
import { priceText } from "#src/trades/amountTexts.ts"
import type { UnixRange } from "../input/unixRange.ts"
import { shownPnl } from "./translate.ts"

/** In milliseconds; `until` is the last millisecond of its second. */
export const questionOf = (
  wallets: ReadonlyArray<Address>,
  { from, to }: UnixRange,
  trades: number,
  withDepth = false,
): ReportRequest => ({
  wallets,
  after: from * 1000 - 1,
  until: to * 1000 + 999,
  trades,
  ...(withDepth && { depth: true }),
})

const shownDepth = ({ depth, trades }: Report) =>
  depth === null
    ? null
    : {
        fills_from_book: depth.fromBook,
        fills_flat: trades - depth.fromBook,
        fills_too_thin: depth.tooThin,
        flat_backtest_copy_pnl_usdc: exactAmount(depth.flatBacktest),
      }

const shownTrade = ({ tx, order, at, token, side, shares, usd }: Trade) => ({
  tx_hash: `0x${tx}`,
  order_hash: `0x${order}`,
  timestamp: Math.floor(at / 1000),
  token_id: BigInt(`0x${token}`).toString(),
  direction: sideOf(side),
  price: Number(priceText(usd, shares)),
  shares: exactAmount(shares),
  usd: exactAmount(usd),
})

export const shownReport = (
  report: Report,
  { from, to }: UnixRange,
  coverage: typeof CoverageField.Type,
  { withTrades, withDepth = false }: { readonly withTrades: boolean; readonly withDepth?: boolean },
) => {
  const { wallet, partial, computedAt, counts, sums, shown } = report
  return {
    wallet,
    coverage,
    ...shownPnl(report),
    partial: partial || (coverage !== null && !coverage.complete && from < coverage.from_time),
    computed_at: Math.floor(computedAt / 1000),
    total_realized_pnl_usdc: sums === null ? null : exactAmount(sums.realized),
    positions_closed: sums === null ? null : sums.closed,
    avg_entry_prob_weighted:
      sums === null || sums.boughtShares === 0n ? null : priceOf(sums.boughtUsd, sums.boughtShares),
    avg_hold_seconds_weighted: sums === null || sums.holdSeconds === null ? null : Math.round(sums.holdSeconds),
    pnl_definition: "cashflow" as const,
    applied_filters: { from, to, window_days: Math.round(((to - from + 1) / 86_400) * 1e6) / 1e6 },
    sources: {
      fills: counts.buy + counts.sell,
      splits: counts.split,
      merges: counts.merge,
      redemptions: counts.redemption,
      conversions: counts.conversion,
    },
    ...(withDepth && { depth: shownDepth(report) }),
    ...(withTrades && { trades: shown.map(shownTrade) }),
  }
}
