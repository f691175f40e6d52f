import { Layer } from "effect"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { Exports } from "#src/trades/Exports.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { senderLayer } from "#src/webhooks/delivery/Sender.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"

/** Exports of trades, which workers produce. */
export const trades = Layer.provide(Exports.layer, SharedRuns.layer)

/** Copy pools, and scores on demand. */
export const copyPnl = Layer.merge(CopyPools.layer, Layer.provide(Reports.layer, SharedRuns.layer))

/** Webhook subscriptions and their deliveries. */
export const webhooks = Layer.merge(Webhooks.layer, Deliveries.layer).pipe(Layer.provide(senderLayer))

/** Previews of webhook deliveries. */
export const previews = Layer.provide(Preview.layer, Enrichment.layer)
