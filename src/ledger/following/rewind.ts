import { Effect, Metric } from "effect"
import { checkChain, ReorgTooDeep } from "../halts.ts"
import type { Cursor } from "../model.ts"
import { blocksAtOnce, type Follower } from "./Follower.ts"

const reorgs = Metric.counter("presage_ledger_reorgs_total", {
  description: "Reorganisations that rolled back the ledger",
  incremental: true,
})

/** The newest block that the ledger and the node share; undefined if the node lacks blocks. */
const findFork = Effect.fnUntraced(function* ({ ledger, node, depth }: Follower, cursor: Cursor) {
  const known = (yield* ledger.forks(cursor.block, depth)).toReversed()
  for (let at = 0; at < known.length; at += blocksAtOnce) {
    const part = known.slice(at, at + blocksAtOnce)
    const headers = yield* node.headers(part.map(({ number }) => number))
    const firstSame = part.findIndex(({ hash }, i) => headers[i]?.hash === hash)
    const differing = headers.slice(0, firstSame < 0 ? part.length : firstSame)
    // A missing block may be new to the node; it is no proof of a replacement.
    if (differing.includes(undefined)) return undefined
    if (firstSame >= 0) return part[firstSame]
  }
  yield* checkChain
  return yield* new ReorgTooDeep({ block: cursor.block, depth })
})

/** Rolls back to the last block that was not replaced. Returns whether anything was rolled back. */
export const rewind = Effect.fnUntraced(function* (follower: Follower, cursor: Cursor) {
  const fork = yield* findFork(follower, cursor)
  if (fork === undefined || fork.number === cursor.block) return false
  const retracted = yield* follower.ledger.rollback(follower.lease, fork)
  yield* Metric.update(reorgs, 1)
  yield* Effect.logInfo(
    `reorganisation: rolled back from block ${cursor.block} to ${fork.number}, ${retracted} events retracted`,
  )
  return true
})

/** Whether the cursor's block is still canonical; rolls back if another block replaced it. */
export const isCursorCanonical = Effect.fnUntraced(function* (follower: Follower, cursor: Cursor) {
  // Fails on a node for which the block is too old: it cannot continue the ledger.
  const [header] = yield* follower.node.headers([cursor.block])
  if (header === undefined) return false
  if (header.hash === cursor.hash) return true
  yield* rewind(follower, cursor)
  return false
})
