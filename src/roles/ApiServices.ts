import { Layer } from "effect"
import { AnswerCache } from "#src/caching/AnswerCache.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import { CopyPools } from "#src/copy-pnl/CopyPools.ts"
import { Reports } from "#src/copy-pnl/reports/Reports.ts"
import { nodeLimitsInPostgres } from "#src/ledger/NodeLimitStore.ts"
import { Queues } from "#src/mesh/Queues.ts"
import { SharedRuns } from "#src/mesh/SharedRuns.ts"
import { OnlineSearch } from "#src/online-search/OnlineSearch.ts"
import { Audit } from "#src/operators/Audit.ts"
import { Processes } from "#src/processes/Processes.ts"
import { BlockReceipts } from "#src/receipts/BlockReceipts.ts"
import { Runs } from "#src/repair/runs/Runs.ts"
import { Resolver } from "#src/resolve/Resolver.ts"
import { Social } from "#src/social/Social.ts"
import { Exports } from "#src/trades/Exports.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"
import { Searxng } from "#src/upstream/searxng/Searxng.ts"
import { X } from "#src/upstream/x/X.ts"
import { Deliveries } from "#src/webhooks/delivery/Deliveries.ts"
import { senderLayer } from "#src/webhooks/delivery/Sender.ts"
import { Preview } from "#src/webhooks/subscriptions/Preview.ts"
import { Webhooks } from "#src/webhooks/subscriptions/Webhooks.ts"
import { contracts } from "./contracts.ts"

/** Exports of trades, which workers produce. */
const trades = Layer.provide(Exports.layer, SharedRuns.layer)

/** The node, receipts of blocks, which compare the ledger with it, and the wallets of users. */
const askingUpstreams = Layer.merge(BlockReceipts.layer, Resolver.layer).pipe(
  Layer.provideMerge(ChainNode.layer),
  Layer.provide(Gamma.layer),
  Layer.provide(nodeLimitsInPostgres),
  Layer.provide(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
)

/** Copy pools, and scores on demand. */
const copyPnl = Layer.merge(CopyPools.layer, Layer.provide(Reports.layer, SharedRuns.layer))

/** Webhook subscriptions and their deliveries. */
export const webhooks = Layer.merge(Webhooks.layer, Deliveries.layer).pipe(Layer.provide(senderLayer))

/** Previews of webhook deliveries. */
const previews = Layer.provide(Preview.layer, Enrichment.layer)

/** Searches of the web and of X. */
const searches = Layer.merge(OnlineSearch.layer, Social.layer).pipe(
  Layer.provide(Layer.mergeAll(AnswerCache.layer, Searxng.layer, X.layer)),
  Layer.provide(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
)

/** What operators see and do. */
const operating = Layer.mergeAll(Queues.layer(contracts), Processes.layer, Audit.layer, Runs.layer)

/** The services that only the API needs. */
export const apiServices = Layer.mergeAll(webhooks, previews, copyPnl, trades, askingUpstreams, searches, operating)
