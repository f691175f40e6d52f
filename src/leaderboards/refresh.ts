import { Clock, Duration, Effect, Metric, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import * as ReferenceStore from "#src/catalogue/ReferenceStore.ts"
import * as CoverageStore from "#src/ledger/coverage/CoverageStore.ts"
import { historyIsComplete } from "#src/ledger/historyIsComplete.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { isStatementTimeout, retryTransient, reviveCommitFailure } from "#src/platform/sql/sqlFailure.ts"
import { allTime } from "./all-time/allTime.ts"
import type { Board } from "./Board.ts"
import { lockExclusively } from "./exclusive.ts"
import { age, rebuildSeconds, refreshSeconds } from "./metrics.ts"
import type { CountedBlock } from "./model.ts"
import { replaceAll } from "./replace.ts"
import { rolling } from "./rolling.ts"
import { dropSets } from "./scopeSets.ts"
import { applyRescopings, isResolutionLate, rescopeAll, takeRescopings } from "./scopes.ts"
import { leaderboardsRebuildAfter } from "./settings.ts"

const boards: ReadonlyArray<Board> = [rolling, allTime]

/** Rebuilds all boards from the ledger. Readers see the earlier ones until the transaction commits. */
export const buildBoards = Effect.fnUntraced(function* (sql: SqlClient, to: CountedBlock) {
  yield* rescopeAll(sql)
  for (const board of boards) yield* board.rebuild(sql, to)
  yield* dropSets(sql)
  yield* replaceAll(sql)
})

/** The boards cannot be advanced and must be rebuilt. */
class MustRebuild extends Schema.TaggedError<MustRebuild>()("MustRebuild", {}) {}

interface State extends CountedBlock {
  readonly stale: boolean
}

/** The ledger and the boards as this transaction sees them. */
const readState = Effect.fnUntraced(function* (sql: SqlClient) {
  const [ledger] = yield* sql<CountedBlock & { behind: number; complete: boolean }>`
    select c.block, b.at, c.head - c.block as behind,
      ${historyIsComplete(sql)} as complete
    from chain_cursor c join block b on b.number = c.block`
  const [state] = yield* sql<State>`select block, at, stale from leaderboard_state`
  const [noted] = yield* sql<{ found: boolean }>`
    select exists (select from leaderboard_rescoped) or exists (select from leaderboard_retracted_event)
      or exists (select from leaderboard_retracted_position) as found`
  return { ledger, state, isNoted: noted?.found ?? false }
})

/** The history is incomplete: boards built now would have to be rebuilt soon. */
const isBackfilling = ({ complete, behind }: { readonly complete: boolean; readonly behind: number }, depth: number) =>
  !complete || behind > depth

/** Records the counted block if it still exists; a rollback locks the block before deleting it. */
const conclude = Effect.fnUntraced(function* (sql: SqlClient, to: CountedBlock) {
  yield* sql`select 1 from block where number = ${to.block} for key share`
  const now = yield* Clock.currentTimeMillis
  const covered = (yield* CoverageStore.read(sql))?.positions
  const since = covered === undefined ? null : new Date(covered.at)
  yield* sql`
    insert into leaderboard_state as s (block, at, version, refreshed_at, covered_from, covered_since, covered_all)
    values (${to.block}, ${to.at}, 1, ${new Date(now)}, ${covered?.block ?? null}::int, ${since}::timestamptz,
      ${covered?.isComplete ?? null}::bool)
    on conflict (single) do update set block = excluded.block, at = excluded.at, version = s.version + 1, stale = false,
      refreshed_at = excluded.refreshed_at, covered_from = excluded.covered_from, covered_since = excluded.covered_since,
      covered_all = excluded.covered_all`
  yield* Metric.update(age, (now - to.at.getTime()) / 1000)
})

const begin = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`set transaction isolation level repeatable read`
  yield* lockExclusively(sql)
})

/** Runs the steps of all boards, or fails with the reason for a rebuild. */
const advance = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* begin(sql)
  const config = yield* Configuration
  const { ledger, state, isNoted } = yield* readState(sql)
  if (ledger === undefined) return "waits"
  const mustRebuild = isBackfilling(ledger, config.get(reorgDepth))
    ? Effect.succeed("waits" as const)
    : Effect.fail(new MustRebuild())
  if (state === undefined || state.stale) return yield* mustRebuild
  const ahead = ledger.at.getTime() - state.at.getTime()
  if (ahead > Duration.toMillis(config.get(leaderboardsRebuildAfter))) return yield* mustRebuild
  if (ledger.block === state.block && ahead === 0 && !isNoted) return "unchanged"
  for (const { canAdvance } of boards) {
    if (canAdvance !== undefined && !(yield* canAdvance(sql, state, ledger))) return yield* mustRebuild
  }
  if (yield* isResolutionLate(sql, state.block)) {
    // The first load of the catalogue brings late resolutions with every page. One rebuild after it counts them all.
    const isLoading = (yield* ReferenceStore.unfinishedReads(sql)).length > 0
    return isLoading ? "waits" : yield* mustRebuild
  }
  for (const board of boards) yield* board.retract(sql, state)
  const moves = yield* takeRescopings(sql)
  if (moves.length > 0) {
    for (const board of boards) yield* board.rescope(sql, state, moves)
    yield* applyRescopings(sql, moves)
  }
  for (const board of boards) yield* board.advance(sql, state, ledger)
  yield* conclude(sql, ledger)
  return "advanced"
})

const rebuild = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* begin(sql)
  yield* sql`set local work_mem = '256MB'`
  yield* sql`set local maintenance_work_mem = '256MB'`
  // At its end it waits for long readers, on a machine that may be busy.
  yield* sql`set local idle_in_transaction_session_timeout = '20s'`
  // Prefer parallel workers: the planner overestimates the cost of passing rows between them.
  yield* sql`set local parallel_tuple_cost = 0`
  const depth = (yield* Configuration).get(reorgDepth)
  const { ledger } = yield* readState(sql)
  if (ledger === undefined || isBackfilling(ledger, depth)) return "waits"
  yield* buildBoards(sql, ledger)
  yield* conclude(sql, ledger)
  return "rebuilt"
})

const timed = <A, E, R>(seconds: Metric.Histogram<number>, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.timed(work), ([took, done]) =>
    Effect.as(Metric.update(seconds, Duration.toSeconds(took)), done),
  )

/**
 * Advances all boards to the newest block of the ledger in one transaction; readers see the earlier ones until it commits.
 * If that is impossible or takes too long, the boards are rebuilt. It `waits` while the history or the catalogue is
 * incomplete, so that the boards stay as they are, and is `busy` while another process is at it.
 */
export const refreshLeaderboards = Effect.gen(function* () {
  const { sql, tx, exports } = yield* Postgres
  const rebuilt = timed(
    rebuildSeconds,
    exports
      .withTransaction(rebuild(exports))
      .pipe(Effect.catchCause((cause) => Effect.failCause(reviveCommitFailure(cause, false)))),
  )
  return yield* timed(refreshSeconds, tx(advance(sql))).pipe(
    Effect.mapError((error) => (isStatementTimeout(error) ? new MustRebuild() : error)),
    Effect.catchTag("MustRebuild", () => rebuilt),
    retryTransient(),
    Effect.catchTag("BoardsBusy", () => Effect.succeed("busy" as const)),
  )
})
