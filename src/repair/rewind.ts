import { Effect, Option } from "effect"
import { resetBuilders } from "#src/builders/CountStore.ts"
import { drop as dropExtension } from "#src/history/extension/schema.ts"
import { markStale } from "#src/leaderboards/exclusive.ts"
import * as LedgerStore from "#src/ledger/LedgerStore.ts"
import { pauseFollower } from "#src/ledger/pauseFollower.ts"
import { retractAfter } from "#src/ledger/retract.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { resetMarketCounts } from "#src/market-stats/RecountStore.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { reset as resetRollups } from "#src/rollups/RollupStore.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { type OnProgress, type RebuildResult, rebuildPaused } from "./rebuild.ts"
import { retryDeadlock } from "./retryDeadlock.ts"
import { findTarget, RewindRefused } from "./rewind/findTarget.ts"

export interface RewindOptions {
  /** The last block to keep; undefined is the newest one that the ledger and the node share. */
  readonly to?: number | undefined
  readonly onProgress?: OnProgress
}

export interface RewindResult {
  /** Where the ledger was. */
  readonly from: number
  /** Where it is now: a stored block. */
  readonly to: number
  readonly retracted: number
  readonly rebuilt: RebuildResult
}

/**
 * Takes the ledger back to a block of the node's chain in one transaction, however deep that is. The follower waits meanwhile
 * and then continues from there.
 */
export const rewindLedger = Effect.fnUntraced(function* (options: RewindOptions = {}) {
  const { to, onProgress = () => Effect.void } = options
  const { sql, tx } = yield* Postgres
  const log = yield* EventLog
  const depth = (yield* Configuration).get(reorgDepth)
  const head = (yield* (yield* ChainNode).head).number
  const { cursor, target } = yield* findTarget(sql, head, to)
  const write = Effect.gen(function* () {
    yield* pauseFollower(sql)
    const now = yield* LedgerStore.readCursor(sql)
    if (Option.isNone(now) || now.value.hash !== cursor.hash) {
      return yield* new RewindRefused({ reason: "the follower has moved the ledger meanwhile: run the command again" })
    }
    // Before any row is deleted: a refresh of the boards counts blocks that it has locked.
    yield* markStale(sql)
    yield* dropExtension(sql)
    yield* LedgerStore.deleteAfter(sql, target.number)
    const rebuilt = yield* rebuildPaused(sql, { depth, endsAt: target.number, onProgress })
    yield* resetRollups(sql)
    yield* resetMarketCounts(sql)
    yield* resetBuilders(sql)
    // Late, because writers of pending settlements wait for this row.
    yield* LedgerStore.moveCursor(sql, { first: target.number, last: target, head: Math.max(head, target.number) })
    const retracted = yield* retractAfter(sql, log, target)
    const rewound: RewindResult = { from: cursor.block, to: target.number, retracted, rebuilt }
    return rewound
  })
  return yield* retryDeadlock(tx(write))
})
