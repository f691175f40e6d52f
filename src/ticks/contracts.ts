import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Drops ticks past their retention. */
export const TickMaintenance = Job.make({
  name: "tick-maintenance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { concurrency: 1 },
})
