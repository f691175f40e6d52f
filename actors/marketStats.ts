import { Duration, Effect } from "effect"
import { MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import { areOlderThan } from "#src/market-stats/FigureStore.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

/** The duty comes more often, so that the first figures follow the history at once. */
const refreshEvery = Duration.seconds(30)

export const marketStats = jobWorker(MarketStatsRefresh, () =>
  Effect.gen(function* () {
    const { reads } = yield* Postgres
    if (yield* areOlderThan(reads, refreshEvery)) yield* refreshMarketStats
  }).pipe(Effect.mapError((error) => new Retryable({ reason: describe(error) }))),
)
