import { Effect, Layer } from "effect"
import { MarketStatsFirst, MarketStatsRefresh } from "#src/market-stats/contracts.ts"
import { isAwaited } from "#src/market-stats/FigureStore.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"

const firstFigures = Effect.gen(function* () {
  const { reads } = yield* Postgres
  if (yield* isAwaited(reads)) yield* refreshMarketStats
})

export const marketStats = Layer.mergeAll(
  jobWorker(MarketStatsRefresh, () => Effect.mapError(refreshMarketStats, retryable)),
  jobWorker(MarketStatsFirst, () => Effect.mapError(firstFigures, retryable)),
)
