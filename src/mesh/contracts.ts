import { Schema } from "effect"
import * as Job from "./Job.ts"

/** Creates the event log's next partitions and drops the expired ones. */
export const EventLogMaintenance = Job.make({
  name: "event-log-maintenance",
  payload: Schema.Struct({}),
  key: () => "all",
  exclusive: true,
  defaults: { concurrency: 1 },
})
