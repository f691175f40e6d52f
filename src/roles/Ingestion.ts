import { Layer } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { leaderboardRollback } from "#src/leaderboards/retraction.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { nodeLimitsInPostgres } from "#src/ledger/NodeLimitStore.ts"
import { Progress } from "#src/ledger/Progress.ts"
import { consistentNode } from "#src/upstream/chain/ConsistentNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"

/** The sources that followers read and the ledger that they write. */
export const ingestion = Layer.mergeAll(Ledger.layer, Progress.layer, consistentNode).pipe(
  Layer.provide(Layer.merge(leaderboardRollback, nodeLimitsInPostgres)),
  Layer.provideMerge(Dictionary.layer),
  Layer.provideMerge(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
)
