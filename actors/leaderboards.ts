import { Effect } from "effect"
import { LeaderboardsRefresh } from "#src/leaderboards/contracts.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { retryable } from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"

export const leaderboards = jobWorker(LeaderboardsRefresh, () =>
  Effect.gen(function* () {
    if ((yield* refreshLeaderboards) === "rebuilt") yield* Effect.logInfo("leaderboards: rebuilt")
  }).pipe(Effect.mapError(retryable)),
)
