import { Layer } from "effect"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { Flights } from "#src/mesh/SharedRuns.ts"

/** Pools of wallets, and scores for whoever waits for them. */
export const copyPnl = Layer.merge(CopyPools.layer, Layer.provide(Reports.layer, Flights.layer))
