import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

// The next tick of each follows anyway.
const once = { concurrency: 1, attempts: 1 } as const

/** Counts the blocks that the sums of builders do not have yet. */
export const BuildersAdvance = Job.make({
  name: "builders-advance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { ...once, budget: "5 minutes" },
})

/** Takes the gains and losses of builders' users from the leaderboards. */
export const BuildersRank = Job.make({
  name: "builders-rank",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { ...once, budget: "2 minutes" },
})

/** Reads the venue's list of builders. */
export const BuildersList = Job.make({
  name: "builders-list",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { ...once, budget: "2 minutes" },
})
