import { Schema } from "effect"
import * as Job from "./Job.ts"

/** Makes the event log's coming partitions and drops the expired ones. */
export const EventLogMaintenance = Job.make({
  name: "event-log-maintenance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { concurrency: 1 },
})
