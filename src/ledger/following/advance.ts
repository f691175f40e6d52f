import { Array as Arr, Effect } from "effect"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import { recentBatch } from "../batches.ts"
import type { Cursor } from "../model.ts"
import { blocksAtOnce, type Follower } from "./Follower.ts"
import { rewind } from "./rewind.ts"

/** The next blocks, as far as they follow on each other and on the cursor. */
const nextBlocks = Effect.fnUntraced(function* ({ node }: Follower, cursor: Cursor, head: number) {
  const count = Math.min(blocksAtOnce, head - cursor.block)
  const numbers = Array.from({ length: count }, (_, i) => cursor.block + 1 + i)
  const headers = yield* node.headers(numbers)
  const chain: Array<BlockHeader> = []
  for (const header of headers) {
    if (header === undefined || header.parentHash !== (chain.at(-1)?.hash ?? cursor.hash)) break
    chain.push(header)
  }
  return { chain, isReplaced: chain.length === 0 && headers[0] !== undefined }
})

type Chain = Arr.NonEmptyReadonlyArray<BlockHeader>

/** Blocks to write; undefined if the node lacks their logs. */
const readBlocks = Effect.fnUntraced(function* (follower: Follower, chain: Chain, head: number, startedFrom: number) {
  const read = yield* follower.node.blockLogs(chain)
  if (read === undefined) return undefined
  const batch = recentBatch({ ...read, headers: chain, head, eventsSince: yield* follower.eventsSince })
  return yield* follower.prepare(batch, startedFrom)
})

/** Returns whether the node had the logs of these blocks. */
const append = Effect.fnUntraced(function* (follower: Follower, cursor: Cursor, chain: Chain, head: number) {
  const prepared = yield* readBlocks(follower, chain, head, cursor.startedFrom)
  if (prepared !== undefined) yield* follower.write(prepared)
  return prepared !== undefined
})

/** Reads the next blocks up to the newest one, as many as at once. Returns whether there may be more to do at once. */
export const advance = Effect.fnUntraced(function* (follower: Follower, cursor: Cursor, newest: BlockHeader) {
  const head = newest.number
  // Mostly the newest block is the next one, and need not be asked for again.
  const isNext = head === cursor.block + 1 && newest.parentHash === cursor.hash
  if (isNext && (yield* append(follower, cursor, [newest], head))) return true
  const { chain, isReplaced } = yield* nextBlocks(follower, cursor, head)
  if (isReplaced) return yield* rewind(follower, cursor)
  // If a block was replaced between the two requests, or another node answered, it is read later.
  return Arr.isReadonlyArrayNonEmpty(chain) && (yield* append(follower, cursor, chain, head))
})

/** Starts a ledger on a chain so short that every block may still be replaced. */
export const beginAt = Effect.fnUntraced(function* (follower: Follower, number: number) {
  const { lease, ledger, node } = follower
  const header = yield* node.header(number)
  if (header === undefined) return
  const prepared = yield* readBlocks(follower, [header], number, number)
  if (prepared !== undefined) yield* ledger.append(lease, prepared)
})
