import { BuildersAdvance, BuildersList, BuildersRank } from "#src/builders/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const builders = [
  Duty.make({ name: "builders", job: BuildersAdvance, payload: {}, every: "30 seconds" }),
  // Cursors of their leaderboards live as long as one version of the results.
  Duty.make({ name: "builders-results", job: BuildersRank, payload: {}, every: "5 minutes" }),
  Duty.make({ name: "builders-names", job: BuildersList, payload: {}, every: "10 minutes" }),
]
