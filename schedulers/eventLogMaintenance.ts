import { EventLogMaintenance } from "#src/mesh/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const eventLogMaintenance = Duty.make({
  name: "event-log-maintenance",
  job: EventLogMaintenance,
  payload: {},
  every: "1 hour",
})
