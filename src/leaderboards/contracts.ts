import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Advances all boards to the ledger's newest block, or rebuilds them. */
export const LeaderboardsRefresh = Job.make({
  name: "leaderboards-refresh",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  // The next tick follows anyway.
  defaults: { concurrency: 1, budget: "10 minutes", attempts: 1 },
})
