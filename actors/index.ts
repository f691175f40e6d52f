import { Layer } from "effect"
import { chainFollower } from "./chainFollower.ts"
import { eventLogMaintenance } from "./eventLogMaintenance.ts"
import { eventLogRelay } from "./eventLogRelay.ts"
import { oracleFeeds } from "./oracleFeed.ts"
import { orderBooks } from "./orderBooks.ts"

/** Singletons: exactly one of each runs in the cluster. */
export const actors = Layer.mergeAll(chainFollower, eventLogRelay, oracleFeeds, orderBooks)

/** Job handlers: as many as there are workers. */
export const jobHandlers = Layer.mergeAll(eventLogMaintenance)
