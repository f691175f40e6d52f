import { EventLogMaintenance } from "#src/mesh/eventLogMaintenance.ts"
import { TickMaintenance } from "#src/ticks/tickMaintenance.ts"

/** Every job contract. Each brings its settings, and its queue is watched. */
export const contracts = [EventLogMaintenance, TickMaintenance]
