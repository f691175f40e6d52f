import { Clock, Effect, Metric } from "effect"
import type { MalformedAnswer, RpcFailure } from "./failures.ts"
import type { BlockHeader } from "./header.ts"
import type { makeNodePool, PooledNode } from "./NodePool.ts"

/** Blocks by which a node may be behind another and still be asked for the newest. */
const maxLag = 3

/** How often nodes that are not in use are asked for their newest block. */
const compareEveryMillis = 15_000

/**
 * How long the newest block counts as that. One step of the ledger needs it several times, and a block takes longer than
 * that to be replaced by the next one.
 */
const freshMillis = 1_000
/** The same for a block from the socket, which announces the next one at once; it is asked for if the socket is late. */
const announcedMillis = 2_500

const newestOf = (node: string) =>
  Metric.gauge("presage_rpc_node_block", {
    description: "Newest block of each node, as far as known",
    attributes: { node },
  })

/** The newest block on which the nodes agree: one that is behind the others is not asked. */
export const makeNodeHeads = (
  { nodes, run }: ReturnType<typeof makeNodePool>,
  readHead: (node: PooledNode) => Effect.Effect<BlockHeader, RpcFailure | MalformedAnswer>,
) => {
  let highest = 0
  let cached: { readonly header: BlockHeader; readonly until: number } | undefined

  const read = Effect.fnUntraced(function* (node: PooledNode) {
    const header = yield* readHead(node)
    node.head = header.number
    node.headAt = yield* Clock.currentTimeMillis
    yield* Metric.update(newestOf(node.label), header.number)
    return header
  })

  /** The highest block of all nodes that answer, at least the given one. */
  const compare = Effect.fnUntraced(function* (found: BlockHeader) {
    const heads = yield* Effect.forEach(nodes, (node) => Effect.orElseSucceed(read(node), () => found), {
      concurrency: "unbounded",
    })
    return heads.reduce((best, header) => (header.number > best.number ? header : best), found)
  })

  const newest = Effect.gen(function* () {
    const found = yield* run(read, { block: highest - maxLag })
    const isBehind = nodes.length > 1 && found.number < highest - maxLag
    const header = isBehind ? yield* compare(found) : found
    // If all nodes are behind an earlier answer, that was wrong, or its blocks were replaced.
    highest = isBehind ? header.number : Math.max(highest, header.number)
    cached = { header, until: (yield* Clock.currentTimeMillis) + freshMillis }
    return header
  })

  const current = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    cached !== undefined && now < cached.until ? Effect.succeed(cached.header) : newest,
  )

  /** Asks the nodes that are not in use, so that it shows when the one in use is behind. */
  const watch = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const unused = nodes.filter(
      ({ headAt, isRightChain }) => isRightChain !== false && now - headAt > compareEveryMillis,
    )
    yield* Effect.forEach(unused, (node) => Effect.ignore(read(node)), { concurrency: "unbounded" })
    highest = Math.max(highest, ...nodes.map(({ head }) => head))
  })

  return {
    /** The newest block, asked for now. */
    newest,
    /** The newest block that was announced or asked for lately. */
    current,
    /** Runs while several nodes are in use. */
    watching: nodes.length > 1 ? Effect.forever(Effect.andThen(watch, Effect.sleep(compareEveryMillis))) : Effect.void,
    /** The socket or a poll has a new block. */
    announced: (header: BlockHeader) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (cached?.header.hash !== header.hash) cached = { header, until: now + announcedMillis }
        highest = Math.max(highest, header.number)
      }),
  }
}
