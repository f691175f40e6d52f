import { address } from "../chain/contracts.ts"
import { imageOf } from "../gamma/market.ts"
import { dateOf } from "../gamma/times.ts"
import { rewardsOf } from "../world/rewards.ts"
import type { Market } from "../world/Venue.ts"
import { type Ask, plain, type Routes } from "./Ask.ts"
import type { ClobView } from "./ClobView.ts"
import { marketJson, shortMarketJson, simplifiedMarketJson, tokensJson } from "./marketJson.ts"
import { allMarkets, onePage, rewardedMarkets } from "./pages.ts"
import { found } from "./refusal.ts"

const rewardsConfig = (market: Market) => ({
  id: 20_000 + market.index,
  asset_address: address.usdce,
  start_date: dateOf(market.createdAt),
  end_date: "2500-12-31",
  rate_per_day: rewardsOf(market).daily,
  total_rewards: 0,
})

/** Nobody sponsors rewards here. */
const currentRewardsJson = (market: Market) => {
  const { daily, minSize, maxSpread } = rewardsOf(market)
  return {
    condition_id: market.conditionId,
    rewards_max_spread: maxSpread,
    rewards_min_size: minSize,
    rewards_config: [rewardsConfig(market)],
    sponsored_daily_rate: 0,
    sponsors_count: 0,
    native_daily_rate: daily,
    total_daily_rate: daily,
  }
}

const marketRewardsJson = (view: ClobView, market: Market) => {
  const { minSize, maxSpread } = rewardsOf(market)
  const { plan, event } = market
  return {
    condition_id: market.conditionId,
    question: plan.question,
    market_slug: plan.slug,
    event_slug: event.plan.slug,
    image: imageOf(event.plan.category),
    rewards_max_spread: maxSpread,
    rewards_min_size: minSize,
    tokens: tokensJson(view, market).map(({ token_id, outcome, price }) => ({ token_id, outcome, price })),
    rewards_config: [rewardsConfig(market)],
  }
}

export const marketRoutes = (view: ClobView): Routes => {
  const all = allMarkets(view)
  const rewarded = rewardedMarkets(view)
  const whole = (market: Market) => marketJson(view, market)
  const simplified = (market: Market) => simplifiedMarketJson(view, market)
  const any = () => true
  const open = (market: Market) => view.takesOrders(market)
  const named = ({ key }: Ask): Market => found(view.market(key), "market not found")

  return plain({
    "GET /markets": ({ query }) => all.page(query, any, whole),
    "GET /simplified-markets": ({ query }) => all.page(query, any, simplified),
    "GET /sampling-markets": ({ query }) => rewarded.page(query, open, whole),
    "GET /sampling-simplified-markets": ({ query }) => rewarded.page(query, open, simplified),
    "GET /markets/*": (ask) => whole(named(ask)),
    "GET /clob-markets/*": (ask) => shortMarketJson(view, named(ask)),
    "GET /markets-by-token/*": ({ key }) => {
      const { market } = found(view.token(key), "market not found")
      const [first, second] = view.tokensOf(market)
      return { condition_id: market.conditionId, primary_token_id: first.id, secondary_token_id: second.id }
    },
    "GET /rewards/markets/current": ({ query }) =>
      query.flag("sponsored") === true ? onePage([]) : rewarded.page(query, open, currentRewardsJson),
    "GET /rewards/markets/*": (ask) => {
      const market = named(ask)
      const isPaid = rewardsOf(market).daily > 0 && view.takesOrders(market)
      return onePage(isPaid ? [marketRewardsJson(view, market)] : [])
    },
  })
}
