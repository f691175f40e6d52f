import { Effect, Layer } from "effect"
import { MarketStatsFirst, MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import { isAwaited } from "#src/market-stats/FigureStore.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

const failed = (error: unknown) => new Retryable({ reason: describe(error) })

const firstFigures = Effect.gen(function* () {
  const { reads } = yield* Postgres
  if (yield* isAwaited(reads)) yield* refreshMarketStats
})

export const marketStats = Layer.mergeAll(
  jobWorker(MarketStatsRefresh, () => Effect.mapError(refreshMarketStats, failed)),
  jobWorker(MarketStatsFirst, () => Effect.mapError(firstFigures, failed)),
)
