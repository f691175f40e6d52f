// A worker of endless jobs under the name of a real contract, so that the real `presage tune` reaches it.
import { Effect, Schema } from "effect"
import { EventLogMaintenance } from "#src/mesh/contracts.ts"
import * as Job from "#src/mesh/Job.ts"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { runEntry } from "../entry.ts"
import { report } from "../report.ts"

const Endless = Job.make({
  name: EventLogMaintenance.name,
  payload: Schema.Struct({ id: Schema.Int, millis: Schema.Int }),
  key: ({ id }) => `endless-${id}`,
})

runEntry(
  jobWorker(Endless, ({ id }, { attempt }) => {
    report("begin", { id, attempt })
    return Effect.never
  }),
)
