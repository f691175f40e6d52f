import { address } from "../chain/contracts.ts"
import { rewardsOf } from "../world/rewards.ts"
import type { Market } from "../world/Venue.ts"
import { dateOf } from "./times.ts"

export const clobRewards = (market: Market) => {
  const { daily } = rewardsOf(market)
  if (daily === 0) return undefined
  return [
    {
      id: String(20_000 + market.index),
      conditionId: market.conditionId,
      assetAddress: address.usdce,
      rewardsAmount: 0,
      rewardsDailyRate: daily,
      startDate: dateOf(market.createdAt),
      endDate: "2500-12-31",
    },
  ]
}
