import { address } from "../chain/contracts.ts"
import { dateOf } from "../gamma/format.ts"
import { pictureOf } from "../pictures.ts"
import { rewardsOf } from "../world/MakerPayouts.ts"
import type { Market } from "../world/Venue.ts"
import type { ClobView } from "./ClobView.ts"
import { marketJson, shortMarketJson, simplifiedMarketJson, tokensJson } from "./marketJson.ts"
import { allMarkets, rewardedMarkets, singlePage } from "./pages.ts"
import { jsonRoutes, orNotFound, type RouteRequest, type Routes } from "./requests.ts"

const rewardsConfig = (market: Market) => ({
  id: 20_000 + market.index,
  asset_address: address.usdce,
  start_date: dateOf(market.createdAt),
  end_date: "2500-12-31",
  rate_per_day: rewardsOf(market).daily,
  total_rewards: 0,
})

/** The simulation has no sponsored rewards. */
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
    image: pictureOf(view.sim, event.plan.category),
    rewards_max_spread: maxSpread,
    rewards_min_size: minSize,
    tokens: tokensJson(view, market).map(({ token_id, outcome, price }) => ({ token_id, outcome, price })),
    rewards_config: [rewardsConfig(market)],
  }
}

export const marketRoutes = (view: ClobView): Routes => {
  const all = allMarkets(view)
  const rewarded = rewardedMarkets(view)
  const full = (market: Market) => marketJson(view, market)
  const simplified = (market: Market) => simplifiedMarketJson(view, market)
  const any = () => true
  const open = (market: Market) => view.acceptsOrders(market)
  const marketIn = ({ key }: RouteRequest): Market => orNotFound(view.market(key), "market not found")

  return jsonRoutes({
    "GET /markets": ({ query }) => all.page(query, any, full),
    "GET /simplified-markets": ({ query }) => all.page(query, any, simplified),
    "GET /sampling-markets": ({ query }) => rewarded.page(query, open, full),
    "GET /sampling-simplified-markets": ({ query }) => rewarded.page(query, open, simplified),
    "GET /markets/*": (request) => full(marketIn(request)),
    "GET /clob-markets/*": (request) => shortMarketJson(view, marketIn(request)),
    "GET /markets-by-token/*": ({ key }) => {
      const { market } = orNotFound(view.token(key), "market not found")
      const [first, second] = view.tokensOf(market)
      return { condition_id: market.conditionId, primary_token_id: first.id, secondary_token_id: second.id }
    },
    "GET /rewards/markets/current": ({ query }) =>
      query.flag("sponsored") === true ? singlePage([]) : rewarded.page(query, open, currentRewardsJson),
    "GET /rewards/markets/*": (request) => {
      const market = marketIn(request)
      const isPaid = rewardsOf(market).daily > 0 && view.acceptsOrders(market)
      return singlePage(isPaid ? [marketRewardsJson(view, market)] : [])
    },
  })
}
