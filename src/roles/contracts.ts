import { EventLogMaintenance } from "#src/mesh/eventLogMaintenance.ts"

/** Every job contract. Each brings its settings, and its queue is watched. */
export const contracts = [EventLogMaintenance]
