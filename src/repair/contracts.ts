import { Schema } from "effect"
import * as Job from "#src/mesh/Job.ts"

/** Runs a check or repair that an operator started; the row says which. */
export const RepairRun = Job.make({
  name: "repair-run",
  payload: Schema.Struct({ run: Schema.String.check(Schema.isUUID()) }),
  key: ({ run }) => run,
  exclusive: true,
  defaults: { concurrency: 1, budget: "1 hour", attempts: 1, lock: "30 seconds", stall: "10 seconds" },
})
