import { exactAmount } from "#src/domain/amounts.ts"
import type { PnlSums } from "#src/positions/sums/model.ts"
import type { Bucket, RealizedSums, Span } from "#src/wallets/model.ts"
import type { Accounting, BucketPnl, WindowPnl } from "#src/wallets/WalletPnl.ts"

export const shownSums = (sums: PnlSums) => ({
  net_realized_pnl: exactAmount(sums.realized),
  realized_pnl: exactAmount(sums.realized),
  gross_profit: exactAmount(sums.profit),
  gross_loss: exactAmount(sums.profit - sums.realized),
  unrealized_pnl: exactAmount(sums.unrealized),
  total_pnl: exactAmount(sums.realized + sums.unrealized),
  wins: sums.wins,
  losses: sums.losses,
  position_count: sums.positions,
  open_positions: sums.open,
  total_volume: exactAmount(sums.volume),
  basis: sums.partial > 0 ? "unknown" : "known",
  partial_positions: sums.partial,
})

/** `realized` is that of a window. */
export const shownCombos = ({ realized, unrealized, positions, open }: PnlSums) => ({
  include_combos: true,
  included_position_types: ["market", "combo"],
  combo_pnl: {
    position_type: "combo",
    included: true,
    realized_pnl: exactAmount(realized),
    unrealized_pnl: exactAmount(unrealized),
    total_pnl: exactAmount(realized + unrealized),
    position_count: positions,
    open_positions: open,
  },
})

const shownRealized = ({ realized, profit, wins, losses, events }: RealizedSums) => ({
  realized_pnl: exactAmount(realized),
  gross_profit: exactAmount(profit),
  gross_loss: exactAmount(profit - realized),
  wins,
  losses,
  events,
})

const shownSpan = ({ after = null, before = null }: { readonly [End in keyof Span]: number | null | undefined }) => ({
  source: "onchain",
  after,
  before,
})

export const shownWindow = ({ sums, span, openAtEnd, now, combos }: WindowPnl) => ({
  net_realized_pnl: exactAmount(sums.realized),
  ...shownRealized(sums),
  ...shownSpan(span),
  open_positions_at_date: openAtEnd ?? null,
  ...(now && {
    unrealized_pnl: exactAmount(now.unrealized),
    total_pnl: exactAmount(sums.realized + now.unrealized),
    open_positions: now.open,
  }),
  ...(combos && shownCombos({ ...combos.now, realized: combos.realized })),
})

export const shownBucket = (bucket: Bucket) => {
  const { realized_pnl, ...others } = shownRealized(bucket)
  return { bucket: bucket.start, realized_pnl, cumulative_pnl: exactAmount(bucket.cumulative), ...others }
}

export const shownTotals = ({ buckets, totals, hasMore, span, now }: BucketPnl) => {
  const { realized, profit } = totals
  return {
    bucket_count: buckets.length,
    has_more: hasMore,
    total_realized_pnl: exactAmount(realized),
    total_gross_profit: exactAmount(profit),
    total_gross_loss: exactAmount(profit - realized),
    total_events: totals.events,
    total_wins: totals.wins,
    total_losses: totals.losses,
    ...(now && {
      total_positions: now.positions,
      open_positions: now.open,
      unrealized_pnl: exactAmount(now.unrealized),
      total_pnl: exactAmount(now.realized + now.unrealized),
    }),
    count_type: "realized_events",
    summary_bucket: false,
    ...shownSpan(span),
  }
}

const received = (amount: bigint) => ({
  available: true,
  loaded: true,
  status: "loaded",
  amount: exactAmount(amount),
  raw: String(amount),
})

const blockText = (block: number | null | undefined) => (block === null || block === undefined ? null : String(block))

export const shownAccounting = ({ fees: { sums, block }, payments }: Accounting) => ({
  accounting_summary: {
    available: true,
    loaded: sums !== undefined,
    has_order_filled_rows: sums === undefined ? true : sums.fills > 0,
    source: "onchain",
    fees_paid: {
      available: true,
      loaded: sums !== undefined,
      amount: sums === undefined ? null : exactAmount(sums.amount),
      raw: sums === undefined ? null : String(sums.amount),
      fee_fill_count: sums?.feeFills ?? null,
      order_owner_fill_count: sums?.fills ?? null,
      first_fee_block: blockText(sums?.firstBlock),
      last_fee_block: blockText(sums?.lastBlock),
    },
    maker_rebates: received(payments.rebates),
    rewards: received(payments.rewards),
    order_filled_through_block: String(block),
    projector_status: sums === undefined ? "loading" : "live",
  },
})
