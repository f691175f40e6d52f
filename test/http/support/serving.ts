import { Layer } from "effect"
import { access } from "#src/roles/Access.ts"
import { copyPnl } from "#src/roles/CopyPnl.ts"
import { reading } from "#src/roles/Reading.ts"
import { simulatorElsewhere } from "#src/roles/SimulatorChild.ts"
import { trades } from "#src/roles/Trades.ts"
import { previews, webhooks } from "#src/roles/Webhooks.ts"

/**
 * What the whole API is served from, as in production; a venue is only asked for what nobody has told. Built afresh, for
 * a test that has a venue of its own must not be given the upstreams that were made for this one.
 */
export const serving = Layer.fresh(
  Layer.mergeAll(reading, access, webhooks, previews, copyPnl, trades).pipe(Layer.provide(simulatorElsewhere)),
)
