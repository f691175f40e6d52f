import { Effect, Option, Stream } from "effect"
import { withTightHeap } from "#src/platform/process/heapGrowth.ts"
import { checkChain } from "../halts.ts"
import { advance } from "./advance.ts"
import { backfill } from "./backfill.ts"
import { type Follower, pollEvery } from "./Follower.ts"
import { rewind } from "./rewind.ts"

/**
 * A follower that is so many blocks behind, after a rewind or a long outage of its node, reads ranges again. Not for less: only
 * from single blocks it knows the events `block` and `approval`.
 */
const readInRanges = 10_000

/** Returns whether there may be more to do at once. */
const step = Effect.fnUntraced(function* (follower: Follower) {
  const { ledger, node, recordHead } = follower
  const found = yield* ledger.cursor
  if (Option.isNone(found)) return false
  const cursor = found.value
  const head = yield* node.head
  if (head.number - cursor.block > readInRanges) {
    yield* withTightHeap(backfill(follower, cursor.startedFrom))
    return false
  }
  if (head.number > cursor.block) {
    const hasMore = yield* advance(follower, cursor, head)
    if (!hasMore) yield* recordHead(cursor.block, head.number)
    return hasMore
  }
  // A node that is only behind has the ledger's blocks.
  if (head.number < cursor.block) yield* checkChain
  const same = head.number === cursor.block ? head : yield* node.header(cursor.block)
  return same !== undefined && same.hash !== cursor.hash ? yield* rewind(follower, cursor) : false
})

/** Follows the newest blocks one by one, as long as it runs. */
export const followHead = (follower: Follower) => {
  const { lease, ledger, node, depth } = follower
  let steps = 0
  return Stream.merge(
    Stream.map(node.heads, () => undefined),
    Stream.tick(pollEvery),
  ).pipe(
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.runForEach(() =>
      Effect.gen(function* () {
        yield* Effect.repeat(step(follower), { while: (more) => more })
        if (++steps % 64 !== 0) return
        const found = yield* ledger.cursor
        if (Option.isSome(found)) yield* ledger.deleteUndoBefore(lease, found.value.block - depth)
      }),
    ),
  )
}
