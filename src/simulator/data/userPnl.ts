import { iso } from "../gamma/format.ts"
import { usd } from "../gamma/GammaView.ts"
import { hash } from "../random.ts"
import { joinedAt } from "../world/wallets.ts"
import { addTotals, type EarningTotals, zeroTotals } from "./Earnings.ts"
import { DataError, type Params } from "./Params.ts"
import type { V2Response } from "./pagination.ts"
import { unrealized } from "./positionRows.ts"
import { requiredWallet } from "./selection.ts"
import type { Sources } from "./sources.ts"
import { marketsTraded } from "./totals.ts"

/** Unrealized PnL of open positions, in USD. */
const openGains = ({ holdings }: Sources, wallet: number): number => {
  let total = 0
  for (const position of holdings.ofWallet(wallet)) {
    const holding = holdings.of(position)
    // The books have already realized resolved positions.
    if (holding.token.market.payouts === undefined) total += unrealized(holding)
  }
  return total
}

/** PnL of a wallet at a time. `open` is null for past times, whose unrealized PnL is unknown. */
const pnlPoint = (sums: Readonly<EarningTotals>, timestamp: number, block: number, open: number | null) => {
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

/** The current point. */
const newestPoint = (sources: Sources, wallet: number) => {
  const { ledger, earnings } = sources
  const total = earnings.ofWallet(wallet).total()
  return pnlPoint(total, ledger.seconds, ledger.sim.head, openGains(sources, wallet))
}

const hour = 3_600
const day = 24 * hour

const intervals = {
  max: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
  "1m": 30 * day,
  "1w": 7 * day,
  "1d": day,
  "12h": 12 * hour,
  "6h": 6 * hour,
}
const intervalNames = Object.keys(intervals) as ReadonlyArray<keyof typeof intervals>

/** In whole hours, the resolution of the earnings. */
const fidelities = { "1d": day, "18h": 18 * hour, "12h": 12 * hour, "3h": 3 * hour, "1h": hour }
const fidelityNames = Object.keys(fidelities) as ReadonlyArray<keyof typeof fidelities>

/** PnL history of a wallet at whole steps, plus now. */
export const userPnl = (sources: Sources, params: Params): V2Response => {
  const { ledger, earnings } = sources
  const interval = intervals[params.choice("interval", intervalNames) ?? "1d"]
  const step = fidelities[params.choice("fidelity", fidelityNames) ?? "1h"]
  const wallet = requiredWallet(ledger, params)
  if (wallet < 0) return { data: [] }
  const hours = earnings.ofWallet(wallet).hours()
  const now = ledger.seconds
  const from = Math.max(now - interval, hours[0]?.[0] ?? now)
  const { clock } = sources.ledger.sim.model.world
  const sums = { ...zeroTotals }
  const points: Array<object> = []
  let index = 0
  for (let at = Math.ceil(from / step) * step; at < now; at += step) {
    for (let next = hours[index]; next !== undefined && next[0] <= at; next = hours[++index]) addTotals(sums, next[1])
    points.push(pnlPoint(sums, at, clock.blockAt(at * 1000), null))
  }
  return { data: [...points, newestPoint(sources, wallet)] }
}

const biggestWin = ({ ledger, holdings }: Sources, wallet: number): number => {
  let biggest = 0
  for (const position of holdings.ofWallet(wallet)) biggest = Math.max(biggest, ledger.books.realized.get(position))
  return biggest
}

export const userStats = (sources: Sources, params: Params): V2Response => {
  const { ledger } = sources
  const index = requiredWallet(ledger, params)
  if (index < 0) throw new DataError(404, "user not found", "user")
  const wallet = ledger.wallet(index)
  return {
    data: {
      proxy_wallet: wallet.address,
      trades: marketsTraded(sources, index),
      biggest_win: usd(biggestWin(sources, index)),
      views: hash(index, 20) % 5_000,
      join_date: iso(joinedAt(wallet, ledger.sim.model.world.start)),
      all_time_pnl: newestPoint(sources, index),
    },
  }
}
