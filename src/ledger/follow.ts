import { Array as Arr, Clock, Duration, Effect, Metric, Option, Schedule, Stream } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { withTightHeap } from "#src/platform/process/heapGrowth.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import { finalizedBatch, recentBatch } from "./batches.ts"
import { firstBlock, venueFrom } from "./firstBlock.ts"
import { followFinality } from "./followFinality.ts"
import { checkChain, isHalting, ReorgTooDeep } from "./halts.ts"
import { readHistory } from "./history.ts"
import { Ledger } from "./Ledger.ts"
import type { Batch, Cursor } from "./model.ts"
import { readOpenings } from "./openings.ts"
import { reorgDepth } from "./settings.ts"

const blocksAtOnce = 32
/**
 * Finalized blocks that the backfill leaves to be read one by one: even a short pass over ranges takes a while, and if blocks
 * arrive faster than passes end, the backfill never ends.
 */
const leftOver = blocksAtOnce
/**
 * A follower that is so many blocks behind, after a rewind or a long outage of its node, reads ranges again. Not for less: only
 * from single blocks it knows the events `block` and `approval`.
 */
const readInRanges = 10_000
const pollEvery = "2 seconds"
const retryHaltedAfter = "1 minute"

const behind = Metric.gauge("presage_ledger_blocks_behind", {
  description: "Blocks that the ledger is behind the chain",
})
const cursorBlock = Metric.gauge("presage_ledger_block", { description: "Last block in the ledger" })
const factsWritten = Metric.counter("presage_ledger_facts_total", {
  description: "Facts written to the ledger",
  incremental: true,
})
const reorgs = Metric.counter("presage_ledger_reorgs_total", {
  description: "Reorganisations that rolled back the ledger",
  incremental: true,
})

/** Follows the chain from the cursor: first in wide ranges, then block by block. */
const follow = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const node = yield* ChainNode
  const ledger = yield* Ledger
  const history = yield* readHistory
  const depth = config.get(reorgDepth)
  const began = yield* venueFrom
  const withOpenings = yield* readOpenings

  /** Positions that begin later than the venue need what wallets held before. */
  const prepare = Effect.fnUntraced(function* (batch: Batch, startedFrom: number) {
    const prepared = yield* ledger.prepare(batch)
    return startedFrom > began ? yield* withOpenings(prepared) : prepared
  })

  const eventsSince = Effect.map(
    Clock.currentTimeMillis,
    (now) => now - Duration.toMillis(config.get(eventLogRetention)),
  )

  const countWritten = Effect.fnUntraced(function* ({ facts, last, head }: Batch) {
    yield* Metric.update(factsWritten, facts.length)
    yield* Metric.update(cursorBlock, last.number)
    yield* Metric.update(behind, head - last.number)
  })

  /** While one batch is written, the next one is prepared and later ones are read. */
  const backfillTo = (from: number, head: number, startedFrom: number) =>
    history({ from, to: head - depth }).pipe(
      Stream.mapEffect((part) =>
        Effect.map(eventsSince, (since) =>
          finalizedBatch({ first: part.first, head, decoded: part, eventsSince: since }),
        ),
      ),
      Stream.mapEffect((batch) => prepare(batch, startedFrom)),
      Stream.buffer({ capacity: 1 }),
      Stream.runForEach((prepared) => Effect.andThen(ledger.append(lease, prepared), countWritten(prepared.batch))),
    )

  /** The newest block that the ledger and the node share; undefined if the node lacks blocks. */
  const findFork = Effect.fnUntraced(function* (cursor: Cursor) {
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

  /** Returns whether anything was rolled back. */
  const rewind = Effect.fnUntraced(function* (cursor: Cursor) {
    const fork = yield* findFork(cursor)
    if (fork === undefined || fork.number === cursor.block) return false
    const retracted = yield* ledger.rollback(lease, fork)
    yield* Metric.update(reorgs, 1)
    yield* Effect.logInfo(
      `reorganisation: rolled back from block ${cursor.block} to ${fork.number}, ${retracted} events retracted`,
    )
    return true
  })

  /** Whether the cursor's block is still canonical; rolls back if another block replaced it. */
  const isCursorCanonical = Effect.fnUntraced(function* (cursor: Cursor) {
    const header = yield* node.header(cursor.block)
    if (header === undefined) return false
    if (header.hash === cursor.hash) return true
    yield* rewind(cursor)
    return false
  })

  const isFarBehind = (cursor: number, head: number) => cursor < head - depth - leftOver

  /** Repeats until few finalized blocks are left, because the chain grows meanwhile. */
  const backfill = Effect.fnUntraced(function* (first: number) {
    while (true) {
      const cursor = yield* ledger.cursor
      const from = Option.match(cursor, { onNone: () => first, onSome: ({ block }) => block + 1 })
      const head = (yield* node.head).number
      if (!isFarBehind(from - 1, head)) return
      // Ranges have no parent hash, and blocks may have been replaced while no follower ran.
      const isCanonical = Option.isNone(cursor) || (yield* isCursorCanonical(cursor.value))
      const startedFrom = Option.match(cursor, { onNone: () => first, onSome: (reached) => reached.startedFrom })
      if (isCanonical) yield* backfillTo(from, head, startedFrom)
      else yield* Effect.andThen(ledger.setHead(lease, head), Effect.sleep(pollEvery))
    }
  })

  /** The next blocks, as far as they follow on each other and on the cursor. */
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

  /** Returns whether the node had the logs of these blocks. */
  const append = Effect.fnUntraced(function* (
    cursor: Cursor,
    chain: Arr.NonEmptyReadonlyArray<BlockHeader>,
    head: number,
  ) {
    const read = yield* node.blockLogs(chain)
    if (read === undefined) return false
    const batch = recentBatch({ ...read, headers: chain, head, eventsSince: yield* eventsSince })
    yield* ledger.append(lease, yield* prepare(batch, cursor.startedFrom))
    yield* countWritten(batch)
    return true
  })

  const advance = Effect.fnUntraced(function* (cursor: Cursor, newest: BlockHeader) {
    const head = newest.number
    // Mostly the newest block is the next one, and need not be asked for again.
    const isNext = head === cursor.block + 1 && newest.parentHash === cursor.hash
    if (isNext && (yield* append(cursor, [newest], head))) return true
    const { chain, isReplaced } = yield* nextBlocks(cursor, head)
    if (isReplaced) return yield* rewind(cursor)
    // If a block was replaced between the two requests, or another node answered, it is read later.
    return Arr.isReadonlyArrayNonEmpty(chain) && (yield* append(cursor, chain, head))
  })

  /** Starts a ledger on a chain so short that every block may still be replaced. */
  const beginAt = Effect.fnUntraced(function* (number: number) {
    const header = yield* node.header(number)
    if (header === undefined) return
    const read = yield* node.blockLogs([header])
    if (read === undefined) return
    const batch = recentBatch({ ...read, headers: [header], head: number, eventsSince: yield* eventsSince })
    yield* ledger.append(lease, yield* prepare(batch, number))
  })

  const recordHead = (cursor: Cursor, head: number) =>
    Effect.andThen(ledger.setHead(lease, head), Metric.update(behind, head - cursor.block))

  /** Returns whether there may be more to do at once. */
  const step = Effect.gen(function* () {
    const found = yield* ledger.cursor
    if (Option.isNone(found)) return false
    const cursor = found.value
    const head = yield* node.head
    if (head.number - cursor.block > readInRanges) {
      yield* withTightHeap(backfill(cursor.startedFrom))
      return false
    }
    if (head.number > cursor.block) {
      const hasMore = yield* advance(cursor, head)
      if (!hasMore) yield* recordHead(cursor, head.number)
      return hasMore
    }
    // A node that is only behind has the ledger's blocks.
    if (head.number < cursor.block) yield* checkChain
    const same = head.number === cursor.block ? head : yield* node.header(cursor.block)
    return same !== undefined && same.hash !== cursor.hash ? yield* rewind(cursor) : false
  })

  yield* checkChain
  const first = yield* firstBlock
  const firstHeader = yield* node.header(first)
  if (firstHeader !== undefined) yield* ledger.beginCoverage(lease, began, firstHeader)
  const isLong = isFarBehind(first - 1, (yield* node.head).number)
  if (isLong && Option.isNone(yield* ledger.cursor)) yield* ledger.deferUpkeep(lease)
  yield* withTightHeap(backfill(first))
  const restored = yield* ledger.restoreUpkeep
  if (restored > 0) yield* Effect.logInfo(`the backfill is complete; ${restored} indexes restored`)
  if (Option.isNone(yield* ledger.cursor)) yield* beginAt(first)

  let steps = 0
  const followHead = Stream.merge(
    Stream.map(node.heads, () => undefined),
    Stream.tick(pollEvery),
  ).pipe(
    Stream.buffer({ capacity: 1, strategy: "sliding" }),
    Stream.runForEach(() =>
      Effect.gen(function* () {
        yield* Effect.repeat(step, { while: (more) => more })
        if (++steps % 64 !== 0) return
        const found = yield* ledger.cursor
        if (Option.isSome(found)) yield* ledger.deleteUndoBefore(lease, found.value.block - depth)
      }),
    ),
  )
  yield* Effect.all([followHead, followFinality(lease)], { concurrency: "unbounded", discard: true })
})

/**
 * Follows the chain. A reorganisation that is too deep, or another chain, halts the ledger until an operator acts; it is
 * retried meanwhile.
 */
export const followChain = Effect.fnUntraced(function* (lease: Lease) {
  const ledger = yield* Ledger
  const hash = Effect.map(ledger.cursor, (cursor) => Option.getOrUndefined(cursor)?.hash)

  const awaitOperator = Effect.flatMap(hash, (halted) =>
    Effect.raceFirst(
      Effect.sleep(retryHaltedAfter),
      Effect.repeat(hash, { until: (now) => now !== halted, schedule: Schedule.spaced(pollEvery) }),
    ),
  )
  yield* follow(lease).pipe(
    Effect.tapError((failure) =>
      isHalting(failure)
        ? Effect.logError(failure.message).pipe(
            Effect.andThen(ledger.setHead(lease, failure.block, failure.message)),
            Effect.andThen(awaitOperator),
          )
        : Effect.void,
    ),
    Effect.retry({ while: isHalting }),
  )
})
