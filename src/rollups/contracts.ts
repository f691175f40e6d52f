import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Counts the blocks that the rollups do not have yet. */
export const RollupsAdvance = Job.make({
  name: "rollups-advance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  // The next tick follows anyway.
  defaults: { concurrency: 1, budget: "5 minutes", attempts: 1 },
})
