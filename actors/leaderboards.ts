import { Effect } from "effect"
import { LeaderboardsRefresh } from "#src/leaderboards/contracts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"

export const leaderboards = jobWorker(LeaderboardsRefresh, () =>
  Effect.gen(function* () {
    if ((yield* refreshLeaderboards) === "rebuilt") yield* Effect.logInfo("leaderboards: rebuilt")
  }).pipe(Effect.mapError((error) => new Retryable({ reason: describe(error) }))),
)
