import * as Duty from "#src/mesh/Duty.ts"
import { TickMaintenance } from "#src/ticks/contracts.ts"

export const tickMaintenance = Duty.make({
  name: "tick-maintenance",
  job: TickMaintenance,
  payload: {},
  every: "1 hour",
})
