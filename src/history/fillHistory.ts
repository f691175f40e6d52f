import { Clock, Duration, Effect, Metric, Option, Schedule, Schema, Stream } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { insertFacts } from "#src/ledger/factRows.ts"
import { historyTarget } from "#src/ledger/firstBlock.ts"
import { type HistoryPart, readHistory } from "#src/ledger/history.ts"
import type { IdLookup } from "#src/ledger/idLookup.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import * as LedgerStore from "#src/ledger/LedgerStore.ts"
import { historyFactsPerSecond, retention } from "#src/ledger/settings.ts"
import { savePairs } from "#src/ledger/tokenPairs.ts"
import { transactionsByBlock } from "#src/ledger/transactionsByBlock.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { withTightHeap } from "#src/platform/process/heapGrowth.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { RpcRefusal } from "#src/upstream/chain/ChainNode.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { extendPositions, resumeExtension } from "./extension/extendPositions.ts"
import { dropOldFacts } from "./retention/dropOldFacts.ts"

/** Another writer has moved the first block of the facts: history is read on from there. */
class HistoryMoved extends Schema.TaggedError<HistoryMoved>()("HistoryMoved", { block: Schema.Number }) {
  override get message() {
    return `the ledger no longer begins at block ${this.block}`
  }
}

const factsRead = Metric.counter("presage_history_facts_total", {
  description: "Facts of history written behind the head",
  incremental: true,
})
const firstBlock = Metric.gauge("presage_history_block", { description: "First block whose facts are in the ledger" })

/**
 * Positions are recomputed whenever facts reach this many times as far back as they do, so that all recomputations
 * together take little longer than the last one.
 */
const growth = 4
const fewBlocks = 20_000

/** The follower has priority, but must not stop history for good. */
const patience = Schedule.max([Schedule.spaced("100 millis"), Schedule.during("5 seconds")])
const blocksBehind = 4

/** A node that is away, or has deleted older blocks, may be replaced by another. */
const retryDelay = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])
const lookAgainAfter = "10 minutes"
const dropAgainAfter = "1 hour"

const isPruned = (failure: unknown): failure is RpcRefusal =>
  failure instanceof RpcRefusal && failure.refusal?.meaning === "pruned"

/** The contracts may report a result again, which does not count. */
const dropRepeated = (sql: SqlClient, { facts, last }: HistoryPart, { condition }: IdLookup) => {
  const resolved = facts.flatMap((fact) => (fact.kind === "resolution" ? [condition(fact.condition)] : []))
  if (resolved.length === 0) return Effect.void
  return sql`delete from resolution where condition = any(${pgArray("int4", resolved)}) and block > ${last.number}`
}

/** Reads history behind the head, newest first, and extends the positions to it. Resumes where an earlier run stopped. */
export const fillHistory = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const { sql, reads } = yield* Postgres
  const ledger = yield* Ledger
  const history = yield* readHistory

  const isFollowing = Effect.map(
    ledger.cursor,
    Option.exists(({ hasCaughtUp }) => hasCaughtUp),
  )
  yield* Effect.repeat(isFollowing, { until: (yes) => yes, schedule: Schedule.spaced("1 second") })

  const isFollowerBehind = Effect.map(
    reads<{ behind: number }>`select head - block as behind from chain_cursor`,
    ([row]) => (row?.behind ?? 0) > blocksBehind,
  )
  const afterFollower = Effect.repeat(isFollowerBehind, { while: (yes) => yes, schedule: patience })

  const write = Effect.fnUntraced(function* (part: HistoryPart) {
    const { facts, pairs, blocks, last, first } = part
    const begun = yield* Clock.currentTimeMillis
    yield* afterFollower
    const { ids } = yield* ledger.prepare({
      ...part,
      head: last.number,
      isUndoable: false,
      eventsSince: Number.POSITIVE_INFINITY,
      approvals: [],
      blockSummaries: new Map(),
    })
    yield* lease.tx(
      Effect.gen(function* () {
        // What a crash loses is read again, because the first block is lost with it.
        yield* sql`set local synchronous_commit = off`
        const earliest = { number: first, at: blocks[0]?.at ?? last.at }
        if (!(yield* CoverageStore.moveFacts(sql, last.number + 1, earliest))) {
          return yield* new HistoryMoved({ block: last.number + 1 })
        }
        yield* savePairs(sql, pairs, ids)
        yield* dropRepeated(sql, part, ids)
        yield* insertFacts(sql, facts, ids)
        yield* LedgerStore.insertBlocks(sql, blocks, transactionsByBlock(facts))
      }),
    )
    yield* Metric.update(factsRead, facts.length)
    yield* Metric.update(firstBlock, first)
    const took = (yield* Clock.currentTimeMillis) - begun
    const atLeast = (facts.length * 1000) / config.get(historyFactsPerSecond)
    yield* Effect.sleep(Duration.millis(Math.max(0, atLeast - took)))
  })

  const readBehind = (range: BlockRange) =>
    Stream.runForEach(Stream.buffer(history(range, "newest-first"), { capacity: 1 }), write)

  /** Returns whether there is more to do before `target`. */
  const step = Effect.fnUntraced(function* (target: number) {
    if (yield* resumeExtension(lease)) return true
    const coverage = yield* CoverageStore.read(sql)
    const cursor = yield* ledger.cursor
    if (coverage === undefined || Option.isNone(cursor)) return false
    // Positions could no longer be recomputed from an earlier block.
    if (coverage.droppedBefore !== undefined) return false
    const { facts, positions } = coverage
    const reach = Math.max(fewBlocks, growth * (cursor.value.block - positions.block))
    const next = Math.max(target, cursor.value.block - reach)
    if (facts.block > next) {
      yield* readBehind({ from: next, to: facts.block - 1 })
      return true
    }
    if (positions.block <= facts.block) return false
    yield* extendPositions(lease, { number: facts.block, at: facts.at })
    yield* Effect.logInfo(`positions count the history from block ${facts.block}`)
    return true
  })

  const readTo = (target: number) => withTightHeap(Effect.repeat(step(target), { while: (more) => more }))
  const dropOld = Effect.flatMap(dropOldFacts(lease), (dropped) =>
    Option.isNone(dropped)
      ? Effect.void
      : Effect.logInfo(`facts before block ${dropped.value.number} were dropped, see ${retention.env}`),
  )
  const readAll = Effect.gen(function* () {
    yield* readTo(yield* historyTarget)
    return yield* Effect.forever(Effect.andThen(dropOld, Effect.sleep(dropAgainAfter)))
  })
  /** Counts what the node still had, and asks again later. */
  const withoutOlder = (failure: RpcRefusal) =>
    Effect.gen(function* () {
      yield* Effect.logWarning(`history ends here, because the node has no older blocks: ${failure.message}`)
      const coverage = yield* CoverageStore.read(sql)
      if (coverage !== undefined) yield* readTo(coverage.facts.block)
      yield* Effect.sleep(lookAgainAfter)
    })
  const isOfNode = (failure: { readonly _tag: string }) =>
    /^(RpcRefusal|UpstreamFailure|RangeTooLarge)$/.test(failure._tag)
  return yield* readAll.pipe(
    Effect.catchIf(isPruned, withoutOlder),
    Effect.tapError((failure) =>
      isOfNode(failure) ? Effect.logWarning(`history is read again from here: ${failure.message}`) : Effect.void,
    ),
    Effect.retry({ while: isOfNode, schedule: retryDelay }),
    Effect.forever,
  )
})
