import { Array as Arr, Clock, Duration, Effect, Metric, Option, Schedule, Schema, Stream } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import { rpcUrl } from "#src/upstream/settings.ts"
import { freshBatch, settledBatch } from "./batches.ts"
import { readHistory } from "./history.ts"
import { type Batch, type Cursor, LedgerStore } from "./LedgerStore.ts"
import { reorgDepth, startBlock } from "./settings.ts"

/** The venue's first contract on the real chain. */
const venueBegan = 33_605_403

const blocksAtOnce = 32
/**
 * Blocks that can no longer change but are left to be read one by one: a pass over ranges takes a while however short it is,
 * and where blocks come quicker than passes, there would always be one more. They leave behind how to take them back as all
 * do that are read so, which is forgotten when it is not needed.
 */
const leftOver = blocksAtOnce
const lookEvery = "2 seconds"
/** While it is halted. */
const lookAgainAfter = "1 minute"

/** The chain we know and the chain that is share nothing that we remember. */
export class ReorgTooDeep extends Schema.TaggedError<ReorgTooDeep>()("ReorgTooDeep", {
  block: Schema.Number,
  depth: Schema.Number,
}) {
  override get message() {
    return `block ${this.block} was replaced by a reorganisation deeper than ${this.depth} blocks: the ledger stops here. If the node is on a wrong chain, point ${rpcUrl.env} at another one; if the chain itself went back so far, start with an empty database.`
  }
}

const behind = Metric.gauge("presage_ledger_blocks_behind", { description: "Blocks between the chain and the ledger" })
const cursorBlock = Metric.gauge("presage_ledger_block", { description: "The last block in the ledger" })
const factsWritten = Metric.counter("presage_ledger_facts_total", {
  description: "Facts written to the ledger",
  incremental: true,
})
const reorgs = Metric.counter("presage_ledger_reorgs_total", {
  description: "Reorganisations that the ledger followed",
  incremental: true,
})

/** Follows the chain from where the ledger stands: first in wide ranges, then block by block. */
const follow = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const node = yield* ChainNode
  const store = yield* LedgerStore
  const history = yield* readHistory
  const depth = config.get(reorgDepth)

  const eventsSince = Effect.map(
    Clock.currentTimeMillis,
    (now) => now - Duration.toMillis(config.get(eventLogRetention)),
  )

  const wrote = Effect.fnUntraced(function* ({ facts, last, head }: Batch) {
    yield* Metric.update(factsWritten, facts.length)
    yield* Metric.update(cursorBlock, last.number)
    yield* Metric.update(behind, head - last.number)
  })

  /** While one batch is written, the next gets its numbers and those after it are read. */
  const backfillTo = (from: number, head: number) =>
    history({ from, to: head - depth }).pipe(
      Stream.mapAccumEffect(
        () => from,
        (first, stretch) =>
          Effect.map(eventsSince, (since) => {
            const batch = settledBatch({ first, head, stretch, eventsSince: since })
            return [batch.last.number + 1, [batch]] as const
          }),
      ),
      Stream.mapEffect(store.prepare),
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach((prepared) => Effect.andThen(store.append(lease, prepared), wrote(prepared.batch))),
    )

  /** The newest block that both chains have. */
  const forkOf = Effect.fnUntraced(function* (cursor: Cursor) {
    const known = (yield* store.forks(cursor.block, depth)).toReversed()
    for (let at = 0; at < known.length; at += blocksAtOnce) {
      const part = known.slice(at, at + blocksAtOnce)
      const there = yield* node.headers(part.map(({ number }) => number))
      const firstSame = part.findIndex(({ hash }, i) => there[i]?.hash === hash)
      const differing = there.slice(0, firstSame < 0 ? part.length : firstSame)
      // A node that lacks a block does not say that it was replaced.
      if (differing.includes(undefined)) return undefined
      if (firstSame >= 0) return part[firstSame]
    }
    return yield* new ReorgTooDeep({ block: cursor.block, depth })
  })

  /** Whether something was taken back. */
  const rewind = Effect.fnUntraced(function* (cursor: Cursor) {
    const fork = yield* forkOf(cursor)
    if (fork === undefined || fork.number === cursor.block) return false
    const retracted = yield* store.rollback(lease, fork)
    yield* Metric.update(reorgs, 1)
    yield* Effect.logInfo(
      `reorganisation: back from block ${cursor.block} to ${fork.number}, ${retracted} events retracted`,
    )
    return true
  })

  /** Whether the chain still has the block that the ledger stands on; goes back if it has another. */
  const isStill = Effect.fnUntraced(function* (cursor: Cursor) {
    const there = yield* node.header(cursor.block)
    if (there === undefined) return false
    return there.hash === cursor.hash || !(yield* rewind(cursor))
  })

  /** Until little is left that can no longer change; the chain goes on meanwhile. */
  const backfill = Effect.fnUntraced(function* (first: number) {
    while (true) {
      const cursor = yield* store.cursor
      const from = Option.match(cursor, { onNone: () => first, onSome: ({ block }) => block + 1 })
      const head = (yield* node.head).number
      if (from > head - depth - leftOver) return
      // Ranges say nothing of what they follow on, and much may have been replaced while nobody looked.
      const isOurs = Option.isNone(cursor) || (yield* isStill(cursor.value))
      if (isOurs) yield* backfillTo(from, head)
      else yield* Effect.sleep(lookEvery)
    }
  })

  /** Some of the next blocks, if they follow on each other and on what we have. */
  const nextBlocks = Effect.fnUntraced(function* (cursor: Cursor, head: number) {
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

  const advance = Effect.fnUntraced(function* (cursor: Cursor, head: number) {
    const { chain, isReplaced } = yield* nextBlocks(cursor, head)
    if (isReplaced) return yield* rewind(cursor)
    if (!Arr.isReadonlyArrayNonEmpty(chain)) return false
    const read = yield* node.blockLogs(chain)
    // Some were replaced between the two questions, or another node answered: look again later.
    if (read === undefined) return false
    const batch = freshBatch({ headers: chain, head, logs: read.logs, eventsSince: yield* eventsSince })
    yield* store.append(lease, yield* store.prepare(batch))
    yield* wrote(batch)
    return true
  })

  /** A chain so short that all of it may still be replaced. */
  const beginAt = Effect.fnUntraced(function* (number: number) {
    const header = yield* node.header(number)
    if (header === undefined) return
    const read = yield* node.blockLogs([header])
    if (read === undefined) return
    const batch = freshBatch({ headers: [header], head: number, logs: read.logs, eventsSince: yield* eventsSince })
    yield* store.append(lease, yield* store.prepare(batch))
  })

  const standStill = (cursor: Cursor, head: number) =>
    Effect.andThen(store.standStill(lease, head), Metric.update(behind, head - cursor.block))

  /** Whether there is more to do at once. */
  const step = Effect.gen(function* () {
    const found = yield* store.cursor
    if (Option.isNone(found)) return false
    const cursor = found.value
    const head = yield* node.head
    if (head.number > cursor.block) {
      const hasMore = yield* advance(cursor, head.number)
      if (!hasMore) yield* standStill(cursor, head.number)
      return hasMore
    }
    const same = head.number === cursor.block ? head : yield* node.header(cursor.block)
    return same !== undefined && same.hash !== cursor.hash ? yield* rewind(cursor) : false
  })

  const earliest = config.get(startBlock)
  const first = earliest > 0 ? earliest : Math.max(venueBegan, (yield* node.earliest).number)
  if (Option.isNone(yield* store.cursor)) yield* store.deferUpkeep(lease)
  yield* backfill(first)
  const made = yield* store.restoreUpkeep
  if (made > 0) yield* Effect.logInfo(`the history is read; ${made} indexes made`)
  if (Option.isNone(yield* store.cursor)) yield* beginAt(first)

  let steps = 0
  yield* Stream.merge(
    Stream.map(node.heads, () => undefined),
    Stream.tick(lookEvery),
  ).pipe(
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.runForEach(() =>
      Effect.gen(function* () {
        yield* Effect.repeat(step, { while: (more) => more })
        if (++steps % 64 !== 0) return
        const found = yield* store.cursor
        if (Option.isSome(found)) yield* store.settleBefore(lease, found.value.block - depth)
      }),
    ),
  )
})

/** A chain that has nothing in common with ours is no reason to go on, nor to give up: somebody has to look. */
export const followChain = (lease: Lease) =>
  follow(lease).pipe(
    Effect.tapErrorTag("ReorgTooDeep", (failure) =>
      Effect.gen(function* () {
        yield* Effect.logError(failure.message)
        const store = yield* LedgerStore
        yield* store.standStill(lease, failure.block, failure.message)
      }),
    ),
    Effect.retry({ while: (failure) => failure._tag === "ReorgTooDeep", schedule: Schedule.spaced(lookAgainAfter) }),
  )
