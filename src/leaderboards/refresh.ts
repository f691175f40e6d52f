import { Clock, Duration, Effect, Metric, Schema } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { isSqlError } from "effect/unstable/sql/SqlError"
import { historyIsIn } from "#src/ledger/historyIsIn.ts"
import { reorgDepth } from "#src/ledger/settings.ts"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { retryTransient, reviveCommitFailure } from "#src/platform/sql/sqlFailure.ts"
import { alone } from "./alone.ts"
import { boards, buildBoards } from "./boards.ts"
import { age, rebuildSeconds, refreshSeconds } from "./metrics.ts"
import type { Reached } from "./model.ts"
import { applyRescopings, isLearntTooLate, takeRescopings } from "./scopes.ts"
import { leaderboardsRebuildAfter, leaderboardsReprice, leaderboardsRepriceTime } from "./settings.ts"

/**
 * What a refresh did. `waits`: the history is still being read, and what is shown stays. `busy`: somebody else is at it.
 */
export type Refreshed = "advanced" | "rebuilt" | "unchanged" | "waits" | "busy"

/** They cannot be brought up to date as they are. */
class MustRebuild extends Schema.TaggedError<MustRebuild>()("MustRebuild", {}) {}

interface State extends Reached {
  readonly stale: boolean
  readonly priced_at: Date
}

/** The ledger and the boards, as this transaction sees them. */
const look = Effect.fnUntraced(function* (sql: SqlClient) {
  const [ledger] = yield* sql<Reached & { behind: number; complete: boolean }>`
    select c.block, b.at, c.head - c.block as behind,
      ${historyIsIn(sql)} as complete
    from chain_cursor c join block b on b.number = c.block`
  const [state] = yield* sql<State>`select block, at, stale, priced_at from leaderboard_state`
  const [noted] = yield* sql<{ found: boolean }>`
    select exists (select from leaderboard_rescoped) or exists (select from leaderboard_retracted_event)
      or exists (select from leaderboard_retracted_position) as found`
  return { ledger, state, isNoted: noted?.found ?? false }
})

/** There is a lot to come: what is built now would have to be built again. */
const isReading = ({ complete, behind }: { readonly complete: boolean; readonly behind: number }, depth: number) =>
  !complete || behind > depth

/** The boards are as of this block if it is still there: whoever takes it back locks it first. */
const conclude = Effect.fnUntraced(function* (sql: SqlClient, to: Reached, pricedAt: Date) {
  yield* sql`select 1 from block where number = ${to.block} for key share`
  const now = yield* Clock.currentTimeMillis
  yield* sql`
    insert into leaderboard_state as s (block, at, version, priced_at, refreshed_at)
    values (${to.block}, ${to.at}, 1, ${pricedAt}, ${new Date(now)})
    on conflict (single) do update set block = excluded.block, at = excluded.at, version = s.version + 1, stale = false,
      priced_at = excluded.priced_at, refreshed_at = excluded.refreshed_at`
  yield* Metric.update(age, (now - to.at.getTime()) / 1000)
})

const begin = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`set transaction isolation level repeatable read`
  yield* alone(sql)
})

/** Takes the steps of all boards, or fails with what stands against it. */
const advance = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* begin(sql)
  // One plan for all stretches would be made for long ones, and read whole tables.
  yield* sql`set local plan_cache_mode = force_custom_plan`
  const config = yield* Configuration
  const { ledger, state, isNoted } = yield* look(sql)
  if (ledger === undefined) return "waits"
  const mustRebuild = isReading(ledger, config.get(reorgDepth))
    ? Effect.succeed("waits" as const)
    : Effect.fail(new MustRebuild())
  if (state === undefined || state.stale) return yield* mustRebuild
  const ahead = ledger.at.getTime() - state.at.getTime()
  if (ahead > Duration.toMillis(config.get(leaderboardsRebuildAfter))) return yield* mustRebuild
  if (ledger.block === state.block && ahead === 0 && !isNoted) return "unchanged"
  for (const { canAdvance } of boards) {
    if (canAdvance !== undefined && !(yield* canAdvance(sql, state, ledger))) return yield* mustRebuild
  }
  if (yield* isLearntTooLate(sql, state.block)) return yield* mustRebuild
  for (const board of boards) yield* board.retract(sql, state)
  const moves = yield* takeRescopings(sql)
  if (moves.length > 0) {
    for (const board of boards) yield* board.rescope(sql, state, moves)
    yield* applyRescopings(sql, moves)
  }
  for (const board of boards) yield* board.advance(sql, state, ledger)
  const isDue = ledger.at.getTime() - state.priced_at.getTime() >= Duration.toMillis(config.get(leaderboardsReprice))
  let isPriced = isDue
  const time = config.get(leaderboardsRepriceTime)
  if (isDue) {
    for (const { reprice } of boards) isPriced = (yield* reprice?.(sql, time) ?? Effect.succeed(true)) && isPriced
  }
  // What is left is due at once.
  yield* conclude(sql, ledger, isPriced ? ledger.at : state.priced_at)
  return "advanced"
})

const rebuild = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* begin(sql)
  yield* sql`set local work_mem = '256MB'`
  yield* sql`set local maintenance_work_mem = '256MB'`
  // It waits for long readers at its end, on a machine that may be busy.
  yield* sql`set local idle_in_transaction_session_timeout = '20s'`
  // Several processes at once, where the server has them: it takes handing over rows for dearer than it is.
  yield* sql`set local parallel_tuple_cost = 0`
  const depth = (yield* Configuration).get(reorgDepth)
  const { ledger } = yield* look(sql)
  if (ledger === undefined || isReading(ledger, depth)) return "waits"
  yield* buildBoards(sql, ledger)
  yield* conclude(sql, ledger, ledger.at)
  return "rebuilt"
})

const timed = <A, E, R>(seconds: Metric.Histogram<number>, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.timed(work), ([took, done]) =>
    Effect.as(Metric.update(seconds, Duration.toSeconds(took)), done),
  )

/**
 * Brings all boards to the newest block of the ledger, in one transaction: who reads sees the earlier ones until it is
 * done. Where that is not possible, or takes too long, they are built anew.
 */
export const refreshLeaderboards = Effect.gen(function* () {
  const { sql, tx, exports } = yield* Postgres
  const anew = timed(
    rebuildSeconds,
    exports
      .withTransaction(rebuild(exports))
      .pipe(Effect.catchCause((cause) => Effect.failCause(reviveCommitFailure(cause, false)))),
  )
  return yield* timed(refreshSeconds, tx(advance(sql))).pipe(
    Effect.mapError((error) =>
      isSqlError(error) && error.reason._tag === "StatementTimeoutError" ? new MustRebuild() : error,
    ),
    Effect.catchTag("MustRebuild", () => anew),
    retryTransient(),
    Effect.catchTag("BoardsBusy", () => Effect.succeed("busy" as const)),
  )
})
