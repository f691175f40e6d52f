import { createHash } from "node:crypto"
import { Context, Effect } from "effect"

/** What a node accepts, as learnt at a moment (in milliseconds). */
export interface LearntLimits {
  /** Calls in one request. */
  readonly calls: number
  /** Blocks in one range, if the node limits them. */
  readonly blocks: number | undefined
  readonly at: number
}

export interface LimitStore {
  readonly load: (nodes: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, LearntLimits>>
  readonly save: (node: string, limits: LearntLimits) => Effect.Effect<void>
}

/** Keeps what was learnt of nodes over a restart; nothing is kept by default. */
export const KeptLimits = Context.Reference<LimitStore>("presage/upstream/KeptLimits", {
  defaultValue: () => ({ load: () => Effect.succeed(new Map()), save: () => Effect.void }),
})

/** Names a node without its credentials. Another key in the path may be another plan, so it is another node. */
export const nodeKey = (url: string): string => {
  const address = new URL(url)
  address.username = ""
  address.password = ""
  return createHash("sha256").update(address.href).digest("hex").slice(0, 32)
}
