import { LeaderboardsRefresh } from "#src/leaderboards/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const leaderboards = Duty.make({
  name: "leaderboards",
  job: LeaderboardsRefresh,
  payload: {},
  every: "10 seconds",
})
