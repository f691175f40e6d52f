import { dateOf } from "../gamma/format.ts"
import { usd } from "../gamma/GammaView.ts"
import type { Token } from "../world/Venue.ts"
import { isVerified } from "../world/wallets.ts"
import type { PositionHistoryOf } from "./History.ts"
import { averagePrice, type Holding, isResolved, lastEventAt } from "./Holdings.ts"
import { marketFields, nameOf, outcomeFields } from "./rows.ts"
import type { Sources } from "./sources.ts"

/** In percent; 0 for an empty whole. */
const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100)

export const currentValueOf = ({ shares, price }: Holding): number => usd(shares * price)

/** Unrealized PnL. */
export const unrealized = (holding: Holding): number => currentValueOf(holding) - usd(holding.cost)

export const totalGain = (holding: Holding): number => unrealized(holding) + usd(holding.realized)

const oppositeOf = ({ ledger }: Sources, { market, outcome }: Token): Token =>
  ledger.token(market.tokens[outcome === 0 ? 1 : 0])

const identityOf = ({ ledger }: Sources, { wallet, token }: Holding) => ({
  proxyWallet: ledger.wallet(wallet).address,
  asset: token.id,
  conditionId: token.market.conditionId,
})

const sidesOf = (sources: Sources, { token }: Holding) => {
  const opposite = oppositeOf(sources, token)
  return {
    ...outcomeFields(token),
    oppositeOutcome: outcomeFields(opposite).outcome,
    oppositeAsset: opposite.id,
    endDate: dateOf(token.market.plan.endsAt),
  }
}

/** An open position. */
export const positionRow = (sources: Sources, holding: Holding) => {
  const { shares, cost, bought, realized, price, token, wallet } = holding
  const { eventSlug, ...market } = marketFields(sources.ledger.sim, token.market)
  return {
    ...identityOf(sources, holding),
    size: usd(shares),
    avgPrice: cost / shares,
    initialValue: usd(cost),
    currentValue: currentValueOf(holding),
    cashPnl: unrealized(holding),
    percentPnl: percent(unrealized(holding), usd(cost)),
    totalBought: usd(bought),
    realizedPnl: usd(realized),
    percentRealizedPnl: percent(realized, (bought * cost) / shares),
    curPrice: price,
    redeemable: isResolved(holding),
    mergeable: sources.holdings.holdsBoth(wallet, token.market),
    ...market,
    eventId: token.market.event.id,
    eventSlug,
    ...sidesOf(sources, holding),
    negativeRisk: token.market.event.plan.negRisk,
  }
}

export const closedPositionRow = (sources: Sources, holding: Holding, historyOf: PositionHistoryOf) => ({
  ...identityOf(sources, holding),
  avgPrice: averagePrice(holding, historyOf),
  totalBought: usd(holding.bought),
  realizedPnl: usd(holding.realized),
  curPrice: holding.price,
  timestamp: lastEventAt(sources.ledger, holding, historyOf),
  ...marketFields(sources.ledger.sim, holding.token.market),
  ...sidesOf(sources, holding),
})

/** A row of the positions of a market. */
export const marketPositionRow = ({ ledger }: Sources, holding: Holding, historyOf: PositionHistoryOf) => {
  const { shares, bought, realized, price, token } = holding
  const wallet = ledger.wallet(holding.wallet)
  return {
    proxyWallet: wallet.address,
    name: nameOf(ledger, wallet),
    profileImage: "",
    verified: isVerified(wallet),
    asset: token.id,
    conditionId: token.market.conditionId,
    avgPrice: averagePrice(holding, historyOf),
    size: usd(shares),
    currPrice: price,
    currentValue: currentValueOf(holding),
    cashPnl: unrealized(holding),
    totalBought: usd(bought),
    realizedPnl: usd(realized),
    totalPnl: totalGain(holding),
    ...outcomeFields(token),
  }
}

type Status = "OPEN" | "REDEEMABLE" | "REDEEMABLE_LOST" | "CLOSED"

export const statusOf = (holding: Holding): Status => {
  if (holding.shares === 0) return "CLOSED"
  if (!isResolved(holding)) return "OPEN"
  return holding.price > 0 ? "REDEEMABLE" : "REDEEMABLE_LOST"
}

/** v2 reports fees separately from the price and includes the profile. */
export const positionRowV2 = (sources: Sources, holding: Holding, historyOf: PositionHistoryOf) => {
  const { ledger } = sources
  const { shares, cost, bought, realized, price, token } = holding
  const { market } = token
  const wallet = ledger.wallet(holding.wallet)
  const history = historyOf(holding.wallet, token.index)
  const total = shares > 0 ? usd(cost) : usd(history.paid)
  const fees = history.paid === 0 ? 0 : (total * history.fees) / history.paid
  const size = usd(shares > 0 ? shares : history.bought)
  const { title, slug, icon, eventSlug } = marketFields(ledger.sim, market)
  const sides = sidesOf(sources, holding)
  return {
    proxy_wallet: wallet.address,
    token_id: token.id,
    condition_id: market.conditionId,
    current_size: usd(shares),
    avg_price: size === 0 ? 0 : (total - fees) / size,
    entry_cost_usdc: total - fees,
    entry_fees_usdc: fees,
    total_cost_usdc: total,
    current_price: price,
    current_value: currentValueOf(holding),
    total_size: usd(bought),
    realized_pnl: usd(realized),
    unrealized_pnl: unrealized(holding),
    total_pnl: totalGain(holding),
    percent_pnl: percent(totalGain(holding), total),
    percent_realized_pnl: percent(usd(realized), total),
    status: statusOf(holding),
    redeemable: shares > 0 && isResolved(holding),
    mergeable: sources.holdings.holdsBoth(holding.wallet, market),
    negative_risk: market.event.plan.negRisk,
    archived: false,
    title,
    slug,
    icon,
    event_id: market.event.id,
    event_slug: eventSlug,
    outcome: sides.outcome,
    outcome_index: sides.outcomeIndex,
    opposite_outcome: sides.oppositeOutcome,
    opposite_token_id: sides.oppositeAsset,
    end_date: sides.endDate,
    last_event_at: lastEventAt(ledger, holding, historyOf),
    name: nameOf(ledger, wallet),
    profile_image: "",
    verified: isVerified(wallet),
  }
}
