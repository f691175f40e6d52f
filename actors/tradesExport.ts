import { Layer } from "effect"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"
import { TradesExport } from "#src/trades/contracts.ts"
import { Walker } from "#src/trades/Walker.ts"

/** Walks through wallets' trades for those who export them. */
export const tradesExport = jobWorker(TradesExport, (asked) => Walker.use((walker) => walker.walk(asked)), {
  onGivenUp: (asked, reason) => Walker.use((walker) => walker.giveUp(asked, reason)),
}).pipe(Layer.provide(Walker.layer), Layer.provide(Flights.layer))
