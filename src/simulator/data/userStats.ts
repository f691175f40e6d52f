import { iso } from "../gamma/times.ts"
import { usd } from "../gamma/View.ts"
import { hash } from "../random.ts"
import { joinedAt } from "../world/people.ts"
import type { Params } from "./Params.ts"
import type { Answer } from "./page.ts"
import { unrealized } from "./positionRows.ts"
import { Refusal } from "./refusal.ts"
import { requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"
import { marketsTraded } from "./totals.ts"

/** Sums over all positions; what combos gained is told apart. */
const gainsOf = ({ ledger, holdings }: Sources, wallet: number) => {
  const gains = { markets: 0, combos: 0, open: 0, biggest: 0 }
  for (const position of holdings.ofWallet(wallet)) {
    const holding = holdings.of(position)
    const realized = ledger.books.realized.get(position)
    gains[holding.token.market.legs === undefined ? "markets" : "combos"] += realized
    // The books have realized what was resolved already.
    if (holding.token.market.payouts === undefined) gains.open += unrealized(holding)
    gains.biggest = Math.max(gains.biggest, realized)
  }
  return gains
}

const allTimePnl = (sources: Sources, wallet: number, gains: ReturnType<typeof gainsOf>) => {
  const { ledger, histories } = sources
  const { deposits, withdrawals, shares, usd: volume, trades } = histories.ofWallet(wallet)
  const realized = usd(gains.markets + gains.combos)
  const fees = usd(ledger.books.feesPaid.get(wallet))
  return {
    timestamp: ledger.seconds,
    source_block: ledger.sim.head,
    realized_market_pnl: usd(gains.markets),
    realized_lp_pnl: 0,
    realized_combo_pnl: usd(gains.combos),
    unrealized_pnl: gains.open,
    fees_refunded: 0,
    maker_rebate: 0,
    taker_rebate: 0,
    reward_income: 0,
    yield_income: 0,
    referral_income: 0,
    deposits: usd(deposits),
    withdrawals: usd(withdrawals),
    realized_pnl: realized,
    wallet_income: 0,
    position_pnl: realized + gains.open,
    settled_pnl: realized,
    economic_pnl: realized + gains.open,
    trade_pnl: realized,
    sponsored_income: 0,
    fees,
    fees_paid: fees,
    cashflow_net: usd(deposits - withdrawals),
    volume: usd(shares),
    volume_usdc: usd(volume),
    trade_count: trades,
  }
}

export const userStats = (sources: Sources, params: Params): Answer => {
  const { ledger } = sources
  const index = requiredWallet(ledger, params)
  if (index < 0) throw new Refusal(404, "user not found", "user")
  const wallet = ledger.wallet(index)
  const gains = gainsOf(sources, index)
  return {
    data: {
      proxy_wallet: wallet.address,
      trades: marketsTraded(sources, index),
      biggest_win: usd(gains.biggest),
      views: hash(index, 20) % 5_000,
      join_date: iso(joinedAt(wallet, ledger.sim.made.world.start)),
      all_time_pnl: allTimePnl(sources, index, gains),
    },
  }
}
