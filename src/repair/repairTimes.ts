import { Effect, Metric, Option } from "effect"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { firstUndoable } from "#src/ledger/positions/firstUndoable.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"

const repairs = Metric.counter("presage_ledger_time_repairs_total", {
  description: "Times that blocks were taken back because the node had told wrong times of them",
  incremental: true,
})

/** The remembered blocks that may still be replaced, rising, and the first that can be taken back. */
const remembered = Effect.fnUntraced(function* (cursor: number, depth: number) {
  const { sql } = yield* Postgres
  const rows = yield* sql<{ number: number; hash: Uint8Array; at: Date }>`
    select number, hash, at from block where number >= ${cursor - depth} order by number`
  return {
    blocks: rows.map(({ number, hash, at }) => ({
      number,
      hash: Buffer.from(hash).toString("hex"),
      at: at.getTime(),
    })),
    first: yield* firstUndoable(sql, cursor, depth),
  }
})

/**
 * Takes back blocks of which the node says other times now than when they were read, so that they are read again. They
 * count as replaced: whoever heard of them heard a wrong time.
 */
export const repairTimes = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const node = yield* ChainNode
  const store = yield* LedgerStore
  const cursor = yield* store.cursor
  if (Option.isNone(cursor)) return
  const { blocks, first } = yield* remembered(cursor.value.block, config.get(reorgDepth))
  const headers = yield* node.headers(blocks.map(({ number }) => number))
  const wrong = blocks.filter(({ hash, at }, i) => headers[i]?.hash === hash && headers[i]?.at !== at)
  const tooOld = wrong.filter(({ number }) => number < first)
  if (tooOld.length > 0) {
    yield* Effect.logError(
      `the node had told wrong times of ${tooOld.length} blocks from ${tooOld[0]?.number} on, which are too old to be taken back: their facts keep these times. An empty database would read them again.`,
    )
  }
  const earliest = wrong.find(({ number }) => number >= first)
  const fork = blocks.find(({ number }) => number + 1 === earliest?.number)
  if (fork === undefined) return
  const retracted = yield* store.rollback(lease, fork)
  yield* Metric.update(repairs, 1)
  yield* Effect.logWarning(
    `the node had told wrong times: back from block ${cursor.value.block} to ${fork.number}, ${retracted} events retracted`,
  )
})
