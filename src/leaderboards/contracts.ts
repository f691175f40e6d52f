import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Brings all boards to the ledger's newest block, or builds them where that is not possible. */
export const LeaderboardsRefresh = Job.make({
  name: "leaderboards-refresh",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  // Another tick follows anyway.
  defaults: { concurrency: 1, budget: "10 minutes", attempts: 1 },
})
