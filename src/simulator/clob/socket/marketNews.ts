import { iso } from "../../gamma/times.ts"
import type { FeeSchedule, Millis } from "../../world/model.ts"
import type { Market } from "../../world/Venue.ts"
import type { ClobView } from "../ClobView.ts"
import { priceText } from "../decimal.ts"
import { baseFeeOf } from "../marketJson.ts"

const aboutJson = (view: ClobView, market: Market, at: Millis) => {
  const { slug, title, description, tags } = market.event.plan
  return {
    id: market.id,
    market: market.conditionId,
    assets_ids: view.tokensOf(market).map(({ id }) => id),
    event_message: { id: market.event.id, ticker: slug, slug, title, description },
    timestamp: String(at),
    tags: tags.map(({ label }) => label),
  }
}

const scheduleJson = ({ rate, exponent, rebateRate }: FeeSchedule) => ({
  exponent: String(exponent),
  rate: String(rate),
  taker_only: true,
  rebate_rate: String(rebateRate),
})

export const newMarketMessage = (view: ClobView, market: Market, at: Millis): string => {
  const { plan, event } = market
  const { game, description } = event.plan
  const about = aboutJson(view, market, at)
  return JSON.stringify({
    event_type: "new_market",
    ...about,
    question: plan.question,
    slug: plan.slug,
    description,
    outcomes: plan.outcomes,
    condition_id: market.conditionId,
    active: true,
    clob_token_ids: about.assets_ids,
    sports_market_type: plan.sportsMarketType ?? "",
    line: plan.line === undefined ? "" : String(plan.line),
    game_start_time: game === undefined ? "" : iso(game.startsAt),
    order_price_min_tick_size: priceText(view.tick(market)),
    group_item_title: plan.groupItemTitle,
    taker_base_fee: String(baseFeeOf(market)),
    fees_enabled: plan.fees !== undefined,
    fee_schedule: plan.fees === undefined ? null : scheduleJson(plan.fees),
  })
}

/** A result of half each has no winner. */
export const resolvedMessage = (view: ClobView, market: Market, at: Millis): string => {
  const [first, second] = market.payouts ?? [0, 0]
  const winner = first === second ? undefined : view.tokensOf(market)[first > second ? 0 : 1]
  return JSON.stringify({
    event_type: "market_resolved",
    ...aboutJson(view, market, at),
    winning_asset_id: winner?.id ?? "",
    winning_outcome: winner === undefined ? "" : market.plan.outcomes[winner.outcome],
  })
}
