import { MarketStatsFirst, MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const marketStats = [
  Duty.make({ name: "market-stats", job: MarketStatsRefresh, payload: {}, every: "30 seconds" }),
  // Readiness waits for the first figures.
  Duty.make({ name: "market-stats-first", job: MarketStatsFirst, payload: {}, every: "5 seconds" }),
]
