import { MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const marketStats = Duty.make({
  name: "market-stats",
  job: MarketStatsRefresh,
  payload: {},
  every: "5 seconds",
})
