import { Effect } from "effect"
import { MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

export const marketStats = jobWorker(MarketStatsRefresh, () =>
  Effect.mapError(refreshMarketStats, (error) => new Retryable({ reason: describe(error) })),
)
