import { Effect, Metric, Stream } from "effect"
import { parseReply, type RpcFailure, RpcRefusal } from "./failures.ts"
import { type BlockHeader, readHeader } from "./header.ts"
import type { makeNodePool } from "./NodePool.ts"

const finalizedBlock = Metric.gauge("presage_chain_finalized_block", {
  description: "Newest block that the node calls final; 0 while that is unknown",
})

const readEvery = "15 seconds"

/** The newest final block; undefined if the nodes do not say. */
export const readFinalized = ({ run }: ReturnType<typeof makeNodePool>) =>
  run((node) =>
    Effect.flatMap(node.call("eth_getBlockByNumber", ["finalized", false]), (block) =>
      block === null ? Effect.undefined : parseReply(() => readHeader(block)),
    ),
  ).pipe(
    // Older nodes do not know the name.
    Effect.catchIf(
      (failure): failure is RpcRefusal => failure instanceof RpcRefusal && !failure.isTransient,
      () => Effect.undefined,
    ),
  )

/** Keeps the metric up to date while it runs. */
export const watchFinalized = (finalized: Effect.Effect<BlockHeader | undefined, RpcFailure>): Stream.Stream<never> =>
  Stream.tick(readEvery).pipe(
    Stream.mapEffect(() => Effect.orElseSucceed(finalized, () => undefined)),
    Stream.mapEffect((header) => (header === undefined ? Effect.void : Metric.update(finalizedBlock, header.number))),
    Stream.ensuring(Metric.update(finalizedBlock, 0)),
    Stream.drain,
  )
