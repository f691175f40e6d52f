import { Layer } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { Progress } from "#src/ledger/Progress.ts"
import { truthfulNode } from "#src/upstream/chain/TruthfulNode.ts"
import { Endpoints } from "#src/upstream/Endpoints.ts"
import { UpstreamHttp } from "#src/upstream/Http.ts"

/** What the followers read from, and what they fill. */
export const ingestion = Layer.mergeAll(LedgerStore.layer, Progress.layer, truthfulNode).pipe(
  Layer.provideMerge(Dictionary.layer),
  Layer.provideMerge(Layer.merge(Endpoints.layer, UpstreamHttp.layer)),
)
