import { usd } from "../gamma/View.ts"
import type { Sums } from "./Earnings.ts"
import { unrealized } from "./positionRows.ts"
import type { Sources } from "./sources.ts"

/** Gained or lost on what is still open, in USD. */
const openGains = ({ holdings }: Sources, wallet: number): number => {
  let total = 0
  for (const position of holdings.ofWallet(wallet)) {
    const holding = holdings.of(position)
    // The books have realized what was resolved already.
    if (holding.token.market.payouts === undefined) total += unrealized(holding)
  }
  return total
}

/** What a wallet had come to at a moment. What was open then is null where nobody knows any more what it was worth. */
export const pnlPoint = (sums: Readonly<Sums>, timestamp: number, block: number, open: number | null) => {
  const realized = usd(sums.markets + sums.combos)
  const income = usd(sums.rebates + sums.rewards)
  const fees = usd(sums.fees)
  return {
    timestamp,
    source_block: block,
    realized_market_pnl: usd(sums.markets),
    realized_lp_pnl: 0,
    realized_combo_pnl: usd(sums.combos),
    unrealized_pnl: open,
    fees_refunded: usd(sums.refunds),
    maker_rebate: usd(sums.rebates),
    taker_rebate: 0,
    reward_income: usd(sums.rewards),
    yield_income: 0,
    referral_income: 0,
    deposits: usd(sums.deposits),
    withdrawals: usd(sums.withdrawals),
    realized_pnl: realized,
    wallet_income: income,
    position_pnl: open === null ? null : realized + open,
    settled_pnl: realized + income,
    economic_pnl: open === null ? null : realized + income + open,
    trade_pnl: realized,
    sponsored_income: 0,
    fees,
    fees_paid: fees,
    cashflow_net: usd(sums.deposits - sums.withdrawals),
    volume: usd(sums.shares),
    volume_usdc: usd(sums.usd),
    trade_count: sums.trades,
  }
}

/** All up to now. */
export const newestPoint = (sources: Sources, wallet: number) => {
  const { ledger, earnings } = sources
  const total = earnings.ofWallet(wallet).total()
  return pnlPoint(total, ledger.seconds, ledger.sim.head, openGains(sources, wallet))
}
