import { Effect, Metric, Stream } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Ledger } from "./Ledger.ts"

const finalizedBlock = Metric.gauge("presage_chain_finalized_block", {
  description: "Newest block that the node calls final; 0 while that is unknown",
})

const readEvery = "15 seconds"

/** Records which block is final, as long as it runs. A node that does not say, or cannot be asked, is asked again. */
export const followFinality = Effect.fnUntraced(function* (lease: Lease) {
  const node = yield* ChainNode
  const ledger = yield* Ledger
  yield* Stream.tick(readEvery).pipe(
    Stream.mapEffect(() => Effect.orElseSucceed(node.finalized, () => undefined)),
    Stream.runForEach((header) =>
      header === undefined
        ? Effect.void
        : Effect.andThen(Metric.update(finalizedBlock, header.number), ledger.setFinalized(lease, header)),
    ),
    Effect.ensuring(Metric.update(finalizedBlock, 0)),
  )
})
