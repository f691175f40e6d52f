import { Clock, Duration, Effect, Option } from "effect"
import type { Fact, FactKind } from "#src/domain/Fact.ts"
import type { Range } from "#src/ledger/history.ts"
import { holdFollower } from "#src/ledger/holdFollower.ts"
import { factKinds, insertFacts } from "#src/ledger/LedgerRows.ts"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { learnPairs } from "#src/ledger/tokenPairs.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { eventLogRetention } from "#src/mesh/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { bulkInsert } from "#src/platform/sql/bulkInsert.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { confirmSettlements } from "#src/settlements/confirm.ts"
import { checkNumbers, checkRange } from "./fillGaps/checkRange.ts"
import { FillInRefused } from "./fillGaps/failures.ts"
import { missingFrom } from "./fillGaps/missing.ts"
import { readMissing } from "./fillGaps/readMissing.ts"
import { untoldEvents } from "./fillGaps/told.ts"
import { type OnReached, type Rebuilt, rebuildHeld } from "./rebuild.ts"

/** About half a gigabyte in memory. */
const mostAtOnce = 1_000_000

const insertBlocks = bulkInsert<{ number: number; hash: Buffer; at: Date; logs: number }>({
  table: "block",
  columns: { number: "int4", hash: "bytea", at: "timestamptz", logs: "int4" },
  suffix: "on conflict do nothing",
})

export interface FilledIn extends Range {
  /** How many facts of each kind were added. */
  readonly added: Readonly<Record<FactKind, number>>
  /** Undefined when nothing was added, so that the positions stay as they are. */
  readonly rebuilt: Rebuilt | undefined
}

export interface FillInOptions extends Range {
  readonly mostFacts?: number
  /** Told while the chain is read. */
  readonly onRead?: OnReached
  /** Told while positions are computed anew. */
  readonly onRebuilt?: OnReached
}

const unwatched: OnReached = () => Effect.void

const countKinds = (facts: ReadonlyArray<Fact>): Readonly<Record<FactKind, number>> => {
  const counts = Object.fromEntries(factKinds.map((kind) => [kind, 0])) as Record<FactKind, number>
  for (const { kind } of facts) counts[kind] += 1
  return counts
}

/** Reads settled blocks of the chain again and writes what the ledger lacks of them, all of it or nothing. */
export const fillIn = Effect.fnUntraced(function* (options: FillInOptions) {
  const { from, to, mostFacts = mostAtOnce, onRead = unwatched, onRebuilt = unwatched } = options
  yield* checkNumbers({ from, to })
  const config = yield* Configuration
  const { sql, tx } = yield* Postgres
  const log = yield* EventLog
  const depth = config.get(reorgDepth)
  const cursor = yield* (yield* LedgerStore).cursor
  if (Option.isNone(cursor)) {
    return yield* new FillInRefused({ reason: "the ledger is empty: start Presage first and let it reach the chain" })
  }
  yield* checkRange({ from, to }, cursor.value, depth)
  const eventsSince = (yield* Clock.currentTimeMillis) - Duration.toMillis(config.get(eventLogRetention))
  const parts = yield* readMissing({ from, to, mostFacts, eventsSince, onRead })

  const write = Effect.gen(function* () {
    yield* holdFollower(sql)
    const added: Array<Fact> = []
    let learnt = 0
    for (const { facts, pairs, blocks, numbers } of parts) {
      yield* insertBlocks(
        sql,
        blocks.map(({ number, hash, at, logs }) => ({
          number,
          hash: Buffer.from(hash, "hex"),
          at: new Date(at),
          logs,
        })),
      )
      learnt += yield* learnPairs(sql, pairs, numbers)
      // Another run may have written some of them meanwhile.
      const missing = yield* missingFrom(sql, facts, numbers)
      yield* insertFacts(sql, missing, numbers)
      for (const fact of missing) added.push(fact)
    }
    const [began] = yield* sql<{ started_from: number }>`select started_from from chain_cursor`
    const reachesBack = began !== undefined && from < began.started_from
    const isChanged = added.length + learnt > 0 || reachesBack
    const rebuilt = isChanged ? yield* rebuildHeld(sql, { depth, beginsAt: from, onReached: onRebuilt }) : undefined
    // Last, because whoever writes pending settlements waits for this row.
    if (reachesBack) yield* sql`update chain_cursor set started_from = ${from}`
    const recent = added.filter(({ at }) => at >= eventsSince)
    yield* confirmSettlements(
      sql,
      log,
      recent.filter(({ kind }) => kind === "fill"),
    )
    yield* log.append(yield* untoldEvents(sql, recent))
    const filled: FilledIn = { from, to, added: countKinds(added), rebuilt }
    return filled
  })
  return yield* tx(write)
})
