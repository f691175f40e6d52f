import { Effect, Metric } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { Ledger } from "./Ledger.ts"

const finalizedBlock = Metric.gauge("presage_chain_finalized_block", {
  description: "Newest block that the node calls final; 0 while that is unknown",
})

const readEvery = "15 seconds"
/** While the ledger does not have the final block. */
const readAgain = "2 seconds"

/** Records which block is final, as long as it runs. A node that does not say, or cannot be asked, is asked again. */
export const followFinality = Effect.fnUntraced(function* (lease: Lease) {
  const node = yield* ChainNode
  const ledger = yield* Ledger

  const record = Effect.gen(function* () {
    const header = yield* Effect.orElseSucceed(node.finalized, () => undefined)
    if (header === undefined) return readEvery
    yield* Metric.update(finalizedBlock, header.number)
    return (yield* ledger.setFinalized(lease, header)) ? readEvery : readAgain
  })
  yield* Effect.forever(Effect.flatMap(record, Effect.sleep)).pipe(Effect.ensuring(Metric.update(finalizedBlock, 0)))
})
