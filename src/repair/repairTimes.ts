import { Effect, Metric, Option } from "effect"
import { Ledger } from "#src/ledger/Ledger.ts"
import { firstUndoable } from "#src/ledger/positions/undo.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import type { Lease } from "#src/mesh/Lease.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"

const repairs = Metric.counter("presage_ledger_time_repairs_total", {
  description: "Rollbacks of blocks that the node had reported with wrong times",
  incremental: true,
})

/** The stored blocks that may still be replaced, ascending, and the first one that can be undone. */
const readRecent = Effect.fnUntraced(function* (cursor: number, depth: number) {
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
 * Rolls back blocks whose times the node now reports differently, so that they are read again. They count as replaced,
 * because subscribers received a wrong time.
 */
export const repairTimes = Effect.fnUntraced(function* (lease: Lease) {
  const config = yield* Configuration
  const node = yield* ChainNode
  const ledger = yield* Ledger
  const cursor = yield* ledger.cursor
  if (Option.isNone(cursor)) return
  const { blocks, first } = yield* readRecent(cursor.value.block, config.get(reorgDepth))
  const headers = yield* node.headers(blocks.map(({ number }) => number))
  const wrong = blocks.filter(({ hash, at }, i) => headers[i]?.hash === hash && headers[i]?.at !== at)
  const tooOld = wrong.filter(({ number }) => number < first)
  if (tooOld.length > 0) {
    yield* Effect.logError(
      `the node had reported wrong times for ${tooOld.length} blocks from ${tooOld[0]?.number} on, which are too old to roll back: their facts keep these times. To read them again, run presage ledger rewind --to ${(tooOld[0]?.number ?? 1) - 1}.`,
    )
  }
  const earliest = wrong.find(({ number }) => number >= first)
  const fork = blocks.find(({ number }) => number + 1 === earliest?.number)
  if (fork === undefined) return
  const retracted = yield* ledger.rollback(lease, fork)
  yield* Metric.update(repairs, 1)
  yield* Effect.logWarning(
    `the node had reported wrong times: rolled back from block ${cursor.value.block} to ${fork.number}, ${retracted} events retracted`,
  )
})
