import { Layer } from "effect"
import { jobWorker } from "#src/mesh/JobWorker.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { TradesExport } from "#src/trades/contracts.ts"
import { Walker } from "#src/trades/Walker.ts"

/** Walks a wallet's trades for an export. */
export const tradesExport = jobWorker(TradesExport, (request) => Walker.use((walker) => walker.walk(request)), {
  onFailed: (request, reason) => Walker.use((walker) => walker.fail(request, reason)),
}).pipe(Layer.provide(Walker.layer), Layer.provide(SharedRuns.layer))
