import { Layer } from "effect"
import { chainFollower } from "./chainFollower.ts"
import { eventLogMaintenance } from "./eventLogMaintenance.ts"
import { eventLogRelay } from "./eventLogRelay.ts"

/** Singletons: exactly one of each runs in the cluster. */
export const actors = Layer.mergeAll(chainFollower, eventLogRelay)

/** Job handlers: as many as there are workers. */
export const jobHandlers = Layer.mergeAll(eventLogMaintenance)
