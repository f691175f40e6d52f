import { Layer } from "effect"
import { Flights } from "#src/mesh/SharedRuns.ts"
import { Exports } from "#src/trades/Exports.ts"

/** What the API needs to hand on what workers find. */
export const trades = Layer.provide(Exports.layer, Flights.layer)
