import { Clock, Duration, Effect, Metric, Option, Schema, Stream } from "effect"
import type { Lease } from "#src/mesh/Lease.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { BlockHeader } from "#src/upstream/chain/header.ts"
import type { ChainLog } from "#src/upstream/chain/readLogs.ts"
import { freshBatch, settledBatch } from "./batches.ts"
import { type Cursor, LedgerStore } from "./LedgerStore.ts"
import { logsWanted, reorgDepth, startBlock } from "./settings.ts"

/** The venue's first contract on the real chain. */
const venueBegan = 33_605_403

const widestRange = 10_000
const blocksAtOnce = 32
const rangesAhead = 3
const lookEvery = "2 seconds"

/** The chain we know and the chain that is share nothing that we remember. */
export class ReorgTooDeep extends Schema.TaggedError<ReorgTooDeep>()("ReorgTooDeep", {
  block: Schema.Number,
  depth: Schema.Number,
}) {
  override get message() {
    return `block ${this.block} was replaced by a reorganisation deeper than ${this.depth} blocks: the ledger stops here. Raise ledger.reorg-depth before the next start only if the node can be trusted, else replace the node.`
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

interface Range {
  readonly from: number
  readonly to: number
}

/** Follows the chain from where the ledger stands: first in wide ranges, then block by block. */
export const followChain = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const node = yield* ChainNode
  const store = yield* LedgerStore
  const depth = config.get(reorgDepth)
  let width = 500

  const eventsSince = Effect.map(
    Clock.currentTimeMillis,
    (now) => now - Duration.toMillis(config.get(eventLogRetention)),
  )

  /** All logs of a range, in parts where it is too much for the node. */
  const logsOf = (range: Range): Effect.Effect<ReadonlyArray<ChainLog>, Effect.Error<ReturnType<typeof node.logs>>> =>
    node.logs(range).pipe(
      Effect.map(({ logs }) => logs),
      Effect.catchTag("RangeTooLarge", (failure) => {
        const count = range.to - range.from + 1
        if (count === 1) return Effect.fail(failure)
        const middle = range.from + Math.floor(count / 2)
        width = Math.max(1, Math.floor(count / 2))
        const parts = [
          { from: range.from, to: middle - 1 },
          { from: middle, to: range.to },
        ]
        return Effect.map(Effect.forEach(parts, logsOf), (both) => both.flat())
      }),
    )

  /** So that the next answer has about as many logs as wanted. */
  const adapt = (count: number, blocks: number) => {
    const fitting = Math.floor((blocks * config.get(logsWanted)) / Math.max(1, count))
    width = Math.min(widestRange, Math.max(1, Math.min(fitting, width * 2)))
  }

  const fetchSettled = Effect.fnUntraced(function* (range: Range) {
    const logs = yield* logsOf(range)
    adapt(logs.length, range.to - range.from + 1)
    return { range, logs, last: yield* node.header(range.to) }
  })

  /** The ranges that can no longer change, each as wide as then seems right. */
  const settledRanges = (from: number, head: number) =>
    Stream.unfold(from, (next) =>
      Effect.sync(() => {
        const last = head - depth
        if (next > last) return undefined
        const range: Range = { from: next, to: Math.min(last, next + width - 1) }
        return [range, range.to + 1] as const
      }),
    )

  /** Ranges are fetched ahead; those with few logs are written together. */
  const backfillTo = Effect.fnUntraced(function* (from: number, head: number) {
    let first = from
    let gathered: Array<ChainLog> = []
    const write = Effect.fnUntraced(function* (last: BlockHeader) {
      const batch = settledBatch({ first, last, head, logs: gathered, eventsSince: yield* eventsSince })
      yield* store.append(lease, batch)
      first = last.number + 1
      gathered = []
      yield* Metric.update(factsWritten, batch.facts.length)
      yield* Metric.update(cursorBlock, last.number)
      yield* Metric.update(behind, head - last.number)
    })
    yield* settledRanges(from, head).pipe(
      Stream.mapEffect(fetchSettled, { concurrency: rangesAhead }),
      Stream.runForEach(({ range, logs, last }) =>
        Effect.gen(function* () {
          for (const log of logs) gathered.push(log)
          const isEnough = gathered.length >= config.get(logsWanted) || range.to === head - depth
          if (last !== undefined && isEnough) yield* write(last)
        }),
      ),
    )
  })

  /** Until nothing is left that can no longer change; the chain goes on meanwhile. */
  const backfill = Effect.fnUntraced(function* (first: number) {
    while (true) {
      const from = Option.match(yield* store.cursor, { onNone: () => first, onSome: ({ block }) => block + 1 })
      const head = (yield* node.head).number
      if (from > head - depth) return
      yield* backfillTo(from, head)
    }
  })

  /** The newest block that both chains have. */
  const forkOf = Effect.fnUntraced(function* (cursor: Cursor) {
    const known = (yield* store.hashes(cursor.block - depth)).toReversed()
    for (let at = 0; at < known.length; at += blocksAtOnce) {
      const part = known.slice(at, at + blocksAtOnce)
      const there = yield* node.headers(part.map(({ number }) => number))
      const same = part.find(({ hash }, i) => there[i]?.hash === hash)
      if (same !== undefined) return same
    }
    return yield* new ReorgTooDeep({ block: cursor.block, depth })
  })

  const rewind = Effect.fnUntraced(function* (cursor: Cursor) {
    const fork = yield* forkOf(cursor)
    if (fork.number === cursor.block) return
    const retracted = yield* store.rollback(lease, fork)
    yield* Metric.update(reorgs, 1)
    yield* Effect.logInfo(
      `reorganisation: back from block ${cursor.block} to ${fork.number}, ${retracted} events retracted`,
    )
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
    if (isReplaced) yield* rewind(cursor)
    const [first, last] = [chain[0], chain.at(-1)]
    if (first === undefined || last === undefined) return isReplaced
    const logs = yield* logsOf({ from: first.number, to: last.number })
    for (const header of chain) {
      const own = logs.filter(({ block }) => block === header.number)
      // The chain changed between the two questions: ask again.
      if (own.some(({ blockHash }) => blockHash !== header.hash)) return true
      const batch = freshBatch({ header, head, logs: own, eventsSince: yield* eventsSince })
      yield* store.append(lease, batch)
      yield* Metric.update(factsWritten, batch.facts.length)
    }
    yield* Metric.update(cursorBlock, last.number)
    yield* Metric.update(behind, head - last.number)
    return true
  })

  /** A chain so short that all of it may still be replaced. */
  const beginAt = Effect.fnUntraced(function* (number: number) {
    const header = yield* node.header(number)
    if (header === undefined) return
    const logs = yield* logsOf({ from: number, to: number })
    yield* store.append(lease, freshBatch({ header, head: number, logs, eventsSince: yield* eventsSince }))
  })

  /** Whether there is more to do at once. */
  const step = Effect.gen(function* () {
    const found = yield* store.cursor
    if (Option.isNone(found)) return false
    const cursor = found.value
    const head = yield* node.head
    if (head.number > cursor.block) return yield* advance(cursor, head.number)
    const same = head.number === cursor.block ? head : yield* node.header(cursor.block)
    if (same !== undefined && same.hash !== cursor.hash) {
      yield* rewind(cursor)
      return true
    }
    return false
  })

  const earliest = config.get(startBlock)
  const first = earliest > 0 ? earliest : Math.max(venueBegan, (yield* node.earliest).number)
  yield* backfill(first)
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
