import { Clock, Duration, Effect, Option } from "effect"
import { resetBuilders } from "#src/builders/CountStore.ts"
import type { Fact, FactKind } from "#src/domain/Fact.ts"
import { drop as dropExtension } from "#src/history/extension/schema.ts"
import { moveOpenings } from "#src/history/moveOpenings.ts"
import { droppedBefore, movePositions } from "#src/ledger/coverage/CoverageStore.ts"
import { factKinds, insertFacts } from "#src/ledger/factRows.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import * as LedgerStore from "#src/ledger/LedgerStore.ts"
import { pauseFollower } from "#src/ledger/pauseFollower.ts"
import { repairCombos } from "#src/ledger/resolutions/rederive.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { savePairs } from "#src/ledger/tokenPairs.ts"
import { resetMarketCounts } from "#src/market-stats/RecountStore.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { reset as resetRollups } from "#src/rollups/RollupStore.ts"
import { confirmSettlements } from "#src/settlements/confirm.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { checkNumbers, checkRange, FillGapsRefused } from "./fillGaps/checkRange.ts"
import { missingEvents, missingFacts } from "./fillGaps/missing.ts"
import { readMissing } from "./fillGaps/readMissing.ts"
import { type OnProgress, type RebuildResult, rebuildPaused } from "./rebuild.ts"
import { retryDeadlock } from "./retryDeadlock.ts"

/** About half a gigabyte in memory. */
const defaultMaxFacts = 1_000_000

export interface FillGapsResult extends BlockRange {
  /** Number of added facts of each kind. */
  readonly added: Readonly<Record<FactKind, number>>
  /** Undefined if nothing was added and positions did not change. */
  readonly rebuilt: RebuildResult | undefined
}

export interface FillGapsOptions extends BlockRange {
  readonly maxFacts?: number
  /** Called while the chain is read. */
  readonly onRead?: OnProgress
  /** Called while positions are recomputed. */
  readonly onRebuilt?: OnProgress
}

const ignoreProgress: OnProgress = () => Effect.void

const countKinds = (facts: ReadonlyArray<Fact>): Readonly<Record<FactKind, number>> => {
  const counts = Object.fromEntries(factKinds.map((kind) => [kind, 0])) as Record<FactKind, number>
  for (const { kind } of facts) counts[kind] += 1
  return counts
}

/** Reads finalized blocks again and writes what the ledger lacks, in one transaction. */
export const fillGaps = Effect.fnUntraced(function* (options: FillGapsOptions) {
  const { from, to, maxFacts = defaultMaxFacts, onRead = ignoreProgress, onRebuilt = ignoreProgress } = options
  yield* checkNumbers({ from, to })
  const config = yield* Configuration
  const { sql, tx } = yield* Postgres
  const log = yield* EventLog
  const depth = config.get(reorgDepth)
  const cursor = yield* (yield* Ledger).cursor
  if (Option.isNone(cursor)) {
    return yield* new FillGapsRefused({
      reason: "the ledger is empty: start Presage first and let it catch up with the chain",
    })
  }
  yield* checkRange({ from, to }, cursor.value, depth, yield* droppedBefore(sql))
  const eventsSince = (yield* Clock.currentTimeMillis) - Duration.toMillis(config.get(eventLogRetention))
  const parts = yield* readMissing({ from, to, maxFacts, eventsSince, onRead })

  const write = Effect.gen(function* () {
    yield* pauseFollower(sql)
    const added: Array<Fact> = []
    let newPairs = 0
    for (const { facts, pairs, blocks, transactions, ids } of parts) {
      yield* LedgerStore.completeBlocks(sql, blocks, transactions)
      newPairs += yield* savePairs(sql, pairs, ids)
      // A concurrent run may have written some of them.
      const missing = yield* missingFacts(sql, facts, ids)
      yield* insertFacts(sql, missing, ids)
      for (const fact of missing) added.push(fact)
    }
    if (added.length > 0) for (const derived of yield* repairCombos(sql)) added.push(derived)
    const [cursorRow] = yield* sql<{ started_from: number; at: Date }>`
      select started_from, positions_since as at from chain_cursor cross join ledger_coverage`
    const isEarlier = cursorRow !== undefined && from < cursorRow.started_from
    const isChanged = added.length + newPairs > 0 || isEarlier
    // Positions that are being computed from the facts lack the added ones.
    if (isChanged) yield* dropExtension(sql)
    if (isEarlier) yield* moveOpenings(sql, { from, to: cursorRow.started_from - 1 })
    const rebuilt = isChanged
      ? yield* rebuildPaused(sql, { depth, startsFrom: from, onProgress: onRebuilt })
      : undefined
    if (isChanged) {
      yield* resetRollups(sql)
      yield* resetMarketCounts(sql)
      yield* resetBuilders(sql)
    }
    // Last, because writers of pending settlements wait for this row.
    if (isEarlier) yield* movePositions(sql, { number: from, at: parts[0]?.blocks[0]?.at ?? cursorRow.at.getTime() })
    const recent = added.filter(({ at }) => at >= eventsSince)
    yield* confirmSettlements(
      sql,
      log,
      recent.filter(({ kind }) => kind === "fill"),
    )
    yield* log.append(yield* missingEvents(sql, recent))
    const filled: FillGapsResult = { from, to, added: countKinds(added), rebuilt }
    return filled
  })
  return yield* retryDeadlock(tx(write))
})
