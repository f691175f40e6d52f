import { legHex } from "../../chain/ids.ts"
import { iso } from "../../gamma/format.ts"
import { usd } from "../../gamma/GammaView.ts"
import { pictureOf } from "../../pictures.ts"
import type { Micro, Millis } from "../../world/model.ts"
import type { Leg, Market, Token } from "../../world/Venue.ts"
import type { PositionHistoryOf } from "../History.ts"
import { averagePrice, type Holding, isResolved, lastEventAt, priceOf } from "../Holdings.ts"
import type { Ledger } from "../Ledger.ts"
import type { Sources } from "../sources.ts"

type ComboStatus = "OPEN" | "PARTIAL" | "RESOLVED_PARTIAL" | "RESOLVED_WIN" | "RESOLVED_LOSS"

/** The status for the payout of a share. */
const statusOfPayout = (price: number): ComboStatus => {
  if (price === 0) return "RESOLVED_LOSS"
  return price === 1 ? "RESOLVED_WIN" : "RESOLVED_PARTIAL"
}

const tokenOf = ({ venue }: Ledger, { market, outcome }: Leg): Token => venue.tokens[market.tokens[outcome]] as Token

const isLegResolved = ({ market }: Leg): boolean => market.payouts !== undefined

const marketJson = ({ sim }: Ledger, { market, outcome }: Leg) => {
  const { plan, event } = market
  const image = pictureOf(sim, event.plan.category)
  return {
    market_id: market.id,
    slug: plan.slug,
    title: plan.question,
    outcome: plan.outcomes[outcome],
    image_url: image,
    icon_url: image,
    category: event.plan.category,
    subcategory: event.plan.tags[1]?.label ?? "",
    tags: event.plan.tags.map(({ label }) => label),
    end_date: iso(plan.endsAt),
    event: {
      event_id: event.id,
      event_slug: event.plan.slug,
      event_title: event.plan.title,
      event_image: image,
    },
  }
}

/** The legs of a combo, with their on-chain ids and markets. */
export const legsJson = (ledger: Ledger, { legs = [] }: Market) =>
  legs.map((leg, index) => {
    const { market, outcome } = leg
    const price = priceOf(ledger, tokenOf(ledger, leg))
    return {
      leg_index: index,
      leg_position_id: BigInt(`0x${legHex(leg)}`).toString(),
      leg_condition_id: market.conditionId,
      leg_outcome_index: outcome,
      leg_outcome_label: market.plan.outcomes[outcome],
      leg_status: isLegResolved(leg) ? statusOfPayout(price) : "OPEN",
      leg_resolved_at: market.resolvedAt === undefined ? null : iso(market.resolvedAt),
      leg_current_price: price,
      market: marketJson(ledger, leg),
    }
  })

const unit = 1_000_000n

/** All six decimals, without loss of precision. */
const exact = (amount: Micro): string => {
  const micro = BigInt(amount)
  return `${micro / unit}.${String(micro % unit).padStart(6, "0")}`
}

export const comboStatusOf = (holding: Holding): ComboStatus => {
  if (isResolved(holding)) return statusOfPayout(holding.price)
  return holding.token.market.legs?.some(isLegResolved) === true ? "PARTIAL" : "OPEN"
}

export const isRedeemable = (holding: Holding): boolean =>
  isResolved(holding) && holding.shares > 0 && holding.price > 0

/** A wallet that only received the combo has no entry; its creation time is used. */
export const firstEntryAt = (ledger: Ledger, { wallet, token }: Holding, historyOf: PositionHistoryOf): Millis => {
  const { firstTx } = historyOf(wallet, token.index)
  return firstTx < 0 ? Math.floor(token.market.createdAt) : ledger.timeOf(firstTx) * 1000
}

export const comboUpdatedAt = (ledger: Ledger, holding: Holding, historyOf: PositionHistoryOf): Millis => {
  const { market } = holding.token
  const results = [market, ...(market.legs ?? []).map((leg) => leg.market)].map(({ resolvedAt }) => resolvedAt ?? 0)
  return Math.max(
    firstEntryAt(ledger, holding, historyOf),
    lastEventAt(ledger, holding, historyOf) * 1000,
    ...results.map(Math.floor),
  )
}

export const comboPositionRow = ({ ledger }: Sources, holding: Holding, historyOf: PositionHistoryOf) => {
  const { token, shares, cost, wallet } = holding
  const { market, outcome } = token
  const { paid, fees, payout } = historyOf(wallet, token.index)
  const legs = market.legs ?? []
  const resolved = legs.filter(isLegResolved).length
  return {
    combo_condition_id: market.conditionId,
    combo_position_id: token.id,
    outcome_index: outcome,
    outcome_label: market.plan.outcomes[outcome],
    proxy_wallet: ledger.wallet(wallet).address,
    current_size: usd(shares),
    entry_avg_price_usdc: averagePrice(holding, historyOf),
    entry_cost_usdc: usd(cost),
    gross_entry_cost_usdc: exact(paid),
    entry_fees_usdc: exact(fees),
    realized_payout_usdc: usd(payout),
    status: comboStatusOf(holding),
    redeemable: isRedeemable(holding),
    first_entry_at: iso(firstEntryAt(ledger, holding, historyOf)),
    resolved_at: market.resolvedAt === undefined ? null : iso(market.resolvedAt),
    legs_total: legs.length,
    legs_resolved: resolved,
    legs_pending: legs.length - resolved,
    legs: legsJson(ledger, market),
    updated_at: iso(comboUpdatedAt(ledger, holding, historyOf)),
  }
}
