import { Effect } from "effect"
import { lockTables } from "#src/history/extension/schema.ts"
import { lockReplaceable } from "#src/leaderboards/replace.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBoards } from "./verify/boards.ts"
import { checkBuilders } from "./verify/builders.ts"
import type { Check, VerifySnapshot } from "./verify/Check.ts"
import { checkBlocks, checkCursor, checkEvents, checkFills } from "./verify/chain.ts"
import { checkComboActs } from "./verify/comboActs.ts"
import { checkMarketStats } from "./verify/marketStats.ts"
import { checkPositions } from "./verify/positions.ts"
import { checkRollups } from "./verify/rollups.ts"
import { checkSearch } from "./verify/search.ts"
import { checkCombos, checkHoldings, checkTokens, checkZeroSum } from "./verify/sums.ts"
import { checkTokenLinks } from "./verify/tokenLinks.ts"

const notReached: Check = { check: "cursor", ok: false, detail: "the ledger is empty" }

/** The checks, in the order in which they run. Each may report several results. */
const steps = [
  checkCursor,
  checkBlocks,
  checkFills,
  checkEvents,
  checkHoldings,
  checkTokens,
  checkTokenLinks,
  checkCombos,
  checkComboActs,
  checkZeroSum,
  checkPositions,
  checkBoards,
  checkRollups,
  checkMarketStats,
  checkBuilders,
  checkSearch,
] as const

type Step = (snapshot: VerifySnapshot) => ReturnType<(typeof steps)[number]>

/** How many of the steps are done. */
export interface VerifyProgress {
  readonly done: number
  readonly steps: number
}

/** Recomputes what follows from the facts, everything unless some steps are chosen, and reports where the ledger differs. */
export const verifyLedgerWith = (
  onProgress: (progress: VerifyProgress) => Effect.Effect<void>,
  chosen: ReadonlyArray<Step> = steps,
) =>
  Effect.gen(function* () {
    const { exports: sql } = yield* Postgres
    const depth = (yield* Configuration).get(reorgDepth)
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        // One snapshot for all checks, whatever is written meanwhile.
        yield* sql`set transaction isolation level repeatable read read only`
        yield* sql`set local idle_in_transaction_session_timeout = '1min'`
        yield* lockReplaceable(sql, "access share")
        yield* lockTables(sql)
        const [cursor] = yield* sql<{
          block: number
          started_from: number
          facts_from: number
          hash: Uint8Array
          complete: boolean
        }>`
          select block, started_from, greatest(started_from, dropped_before) as facts_from, hash, coalesce(started_from <= venue_from and dropped_before is null, true) as complete
          from chain_cursor left join ledger_coverage on true`
        if (cursor === undefined) return [notReached]
        const { block, hash, started_from: startedFrom, facts_from: factsFrom, complete: isComplete } = cursor
        const snapshot: VerifySnapshot = { sql, block, hash, startedFrom, factsFrom, isComplete, depth }
        const checks: Array<Check> = []
        for (const [done, step] of chosen.entries()) {
          yield* onProgress({ done, steps: chosen.length })
          checks.push(...[yield* step(snapshot)].flat())
        }
        return checks
      }),
    )
  })

const unwatched = () => Effect.void

export const verifyLedger = verifyLedgerWith(unwatched)

export const verifyOnly = (step: Step) => verifyLedgerWith(unwatched, [step])
