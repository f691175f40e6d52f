import { iso } from "../../gamma/times.ts"
import { usd } from "../../gamma/View.ts"
import type { Micro, Millis } from "../../world/model.ts"
import type { EntryOf } from "../History.ts"
import { averagePrice, type Holding, isResolved, lastEventAt } from "../Holdings.ts"
import type { Ledger } from "../Ledger.ts"
import type { Sources } from "../sources.ts"
import { type ComboStatus, isLegResolved, legsJson, resultOf } from "./legs.ts"

const unit = 1_000_000n

/** All six decimals, so that nothing is lost on the way. */
const exact = (amount: Micro): string => {
  const micro = BigInt(amount)
  return `${micro / unit}.${String(micro % unit).padStart(6, "0")}`
}

export const comboStatusOf = (holding: Holding): ComboStatus => {
  if (isResolved(holding)) return resultOf(holding.price)
  return holding.token.market.legs?.some(isLegResolved) === true ? "PARTIAL" : "OPEN"
}

export const isRedeemable = (holding: Holding): boolean =>
  isResolved(holding) && holding.shares > 0 && holding.price > 0

/** Who was given a combo entered it at some time after its making. */
export const firstEntryAt = (ledger: Ledger, { wallet, token }: Holding, entryOf: EntryOf): Millis => {
  const { firstAct } = entryOf(wallet, token.index)
  return firstAct < 0 ? Math.floor(token.market.createdAt) : ledger.timeOf(firstAct) * 1000
}

export const comboUpdatedAt = (ledger: Ledger, holding: Holding, entryOf: EntryOf): Millis => {
  const { market } = holding.token
  const results = [market, ...(market.legs ?? []).map((leg) => leg.market)].map(({ resolvedAt }) => resolvedAt ?? 0)
  return Math.max(
    firstEntryAt(ledger, holding, entryOf),
    lastEventAt(ledger, holding, entryOf) * 1000,
    ...results.map(Math.floor),
  )
}

export const comboPositionRow = ({ ledger }: Sources, holding: Holding, entryOf: EntryOf) => {
  const { token, shares, cost, wallet } = holding
  const { market, outcome } = token
  const { paid, fees, payout } = entryOf(wallet, token.index)
  const legs = market.legs ?? []
  const resolved = legs.filter(isLegResolved).length
  return {
    combo_condition_id: market.conditionId,
    combo_position_id: token.id,
    outcome_index: outcome,
    outcome_label: market.plan.outcomes[outcome],
    proxy_wallet: ledger.wallet(wallet).address,
    current_size: usd(shares),
    entry_avg_price_usdc: averagePrice(holding, entryOf),
    entry_cost_usdc: usd(cost),
    gross_entry_cost_usdc: exact(paid),
    entry_fees_usdc: exact(fees),
    realized_payout_usdc: usd(payout),
    status: comboStatusOf(holding),
    redeemable: isRedeemable(holding),
    first_entry_at: iso(firstEntryAt(ledger, holding, entryOf)),
    resolved_at: market.resolvedAt === undefined ? null : iso(market.resolvedAt),
    legs_total: legs.length,
    legs_resolved: resolved,
    legs_pending: legs.length - resolved,
    legs: legsJson(ledger, market),
    updated_at: iso(comboUpdatedAt(ledger, holding, entryOf)),
  }
}
