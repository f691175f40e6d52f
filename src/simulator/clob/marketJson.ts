import { address } from "../chain/contracts.ts"
import { iso } from "../gamma/format.ts"
import { pictureOf } from "../pictures.ts"
import { rewardsOf } from "../world/MakerPayouts.ts"
import type { Market, Token } from "../world/Venue.ts"
import { minOrderSize } from "./bookText.ts"
import { bestOf, type ClobView } from "./ClobView.ts"

/** The legacy cap, not the fee. */
export const baseFeeOf = ({ plan }: Market): number => (plan.fees === undefined ? 0 : 1000)

/** The payout after resolution, else the midpoint, else the last trade price when the book is empty. */
const tokenPrice = (view: ClobView, token: Token): number => {
  const { market, outcome } = token
  if (market.payouts !== undefined) return market.payouts[outcome] / (market.payouts[0] + market.payouts[1])
  const { bid, ask } = bestOf(view.book(token))
  if (bid !== undefined && ask !== undefined) return (bid + ask) / 2000
  const start = outcome === 0 ? market.plan.startPrice : 1000 - market.plan.startPrice
  return (view.lastPrice(token) ?? start) / 1000
}

const isWinner = ({ market: { payouts }, outcome }: Token): boolean =>
  payouts !== undefined && payouts[outcome] > 0 && payouts[1 - outcome] === 0

export const tokensJson = (view: ClobView, market: Market) =>
  view.tokensOf(market).map((token) => ({
    token_id: token.id,
    outcome: market.plan.outcomes[token.outcome],
    price: tokenPrice(view, token),
    winner: isWinner(token),
  }))

const rewardsJson = (market: Market) => {
  const { daily, minSize, maxSpread } = rewardsOf(market)
  return {
    rates: daily === 0 ? null : [{ asset_address: address.usdce, rewards_daily_rate: daily }],
    min_size: minSize,
    max_spread: maxSpread,
  }
}

export const simplifiedMarketJson = (view: ClobView, market: Market) => ({
  condition_id: market.conditionId,
  rewards: rewardsJson(market),
  tokens: tokensJson(view, market),
  active: true,
  closed: view.isResolved(market),
  archived: false,
  accepting_orders: view.acceptsOrders(market),
})

const negRiskJson = ({ event, questionId }: Market) => ({
  neg_risk: event.plan.negRisk,
  neg_risk_market_id: event.negRiskMarketId ?? "",
  neg_risk_request_id: event.negRiskMarketId === undefined ? "" : questionId,
})

const secondsDelayOf = ({ plan }: Market): number => (plan.sportsMarketType === undefined ? 0 : 3)

const gameStartOf = ({ event: { plan } }: Market): string | null =>
  plan.game === undefined ? null : iso(plan.game.startsAt)

export const marketJson = (view: ClobView, market: Market) => {
  const { event, plan, payouts } = market
  return {
    enable_order_book: true,
    ...simplifiedMarketJson(view, market),
    accepting_order_timestamp: iso(market.createdAt),
    minimum_order_size: minOrderSize,
    minimum_tick_size: view.tick(market) / 1000,
    question_id: market.questionId,
    question: plan.question,
    description: event.plan.description,
    market_slug: plan.slug,
    end_date_iso: iso(plan.endsAt),
    game_start_time: gameStartOf(market),
    seconds_delay: secondsDelayOf(market),
    fpmm: "",
    maker_base_fee: baseFeeOf(market),
    taker_base_fee: baseFeeOf(market),
    notifications_enabled: true,
    ...negRiskJson(market),
    icon: pictureOf(view.sim, event.plan.category),
    image: pictureOf(view.sim, event.plan.category),
    is_50_50_outcome: payouts !== undefined && payouts[0] === payouts[1],
    tags: event.plan.tags.map(({ label }) => label),
  }
}

/** Settings for trading clients, under short keys. */
export const shortMarketJson = (view: ClobView, market: Market) => {
  const { daily, minSize, maxSpread } = rewardsOf(market)
  const { fees, outcomes, sportsMarketType } = market.plan
  return {
    c: market.conditionId,
    t: view.tokensOf(market).map(({ id, outcome }) => ({ t: id, o: outcomes[outcome] })),
    mos: minOrderSize,
    mts: view.tick(market) / 1000,
    mbf: baseFeeOf(market),
    tbf: baseFeeOf(market),
    nr: market.event.plan.negRisk,
    fd: fees && { r: fees.rate, e: fees.exponent, to: true },
    r: daily === 0 ? null : { mi: minSize, ma: maxSpread, e: true },
    ao: view.acceptsOrders(market),
    aot: iso(market.createdAt),
    sd: secondsDelayOf(market),
    gst: gameStartOf(market),
    cbos: sportsMarketType !== undefined,
    rfqe: false,
    itode: false,
    ibce: false,
  }
}
