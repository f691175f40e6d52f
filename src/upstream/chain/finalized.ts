import { Effect } from "effect"
import { parseReply, type RpcFailure, RpcRefusal } from "./failures.ts"
import { type BlockHeader, readHeader } from "./header.ts"
import type { makeNodePool } from "./NodePool.ts"

/** The newest final block; undefined if the nodes do not say. */
export const readFinalized = ({
  run,
}: ReturnType<typeof makeNodePool>): Effect.Effect<BlockHeader | undefined, RpcFailure> =>
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
