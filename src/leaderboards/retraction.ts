import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { RollbackHook } from "#src/ledger/RollbackHook.ts"
import { asOf, countedOf } from "./all-time/pastPositions.ts"

/**
 * Records how the boards count the positions that a rollback to `fork` will change, before it changes them. Earlier records
 * that have not been used yet stay valid.
 */
const noteRetractedPositions = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  const [state] = yield* sql<{ block: number }>`select block from leaderboard_state where block > ${fork}`
  if (state === undefined) return
  const counted = state.block
  const touched = sql`
    select distinct u.wallet, u.token from position_undo u where u.block > ${fork} and u.block <= ${counted}`
  yield* sql`
    insert into leaderboard_retracted_position
      (wallet, token, existed, realized, profit, wins, losses, volume, open, shares, cost, partial)
    select t.wallet, t.token, w.wallet is not null, ${sql.literal(
      ["realized", "profit", "wins", "losses", "volume"].map((name) => `coalesce(w.${name}, 0)`).join(", "),
    )}, coalesce(w.open, false), coalesce(w.shares, 0), coalesce(w.cost, 0), coalesce(w.partial, false)
    from (${touched}) t left join (${asOf(sql, counted, touched)}) w on w.wallet = t.wallet and w.token = t.token
    where not exists (
      select 1 from leaderboard_retracted_position n where n.wallet = t.wallet and n.token = t.token)`
})

/** The recorded positions as the boards count them. */
export const retracted = (sql: SqlClient): Fragment => sql`
  select n.wallet, n.token, ${sql.literal(countedOf("n"))}, n.open from leaderboard_retracted_position n where n.existed`

/**
 * Records what the boards count of the blocks after `fork`, before the ledger deletes it. A concurrent refresh locks the last
 * block that it counts: either it commits first and is seen here, or that block is gone and the refresh is discarded.
 */
const retractAfter = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  yield* sql`select 1 from block where number > ${fork} order by number for update`
  yield* sql`
    insert into leaderboard_retracted_event (at, wallet, token, amount)
    select e.at, e.wallet, e.token, e.amount from realized_event e
    where e.block > ${fork} and e.block <= (select block from leaderboard_state)`
  yield* noteRetractedPositions(sql, fork)
  // The time stays: it is the start of the counted events.
  yield* sql`update leaderboard_state set block = ${fork} where block > ${fork}`
})

/** Keeps the leaderboards consistent with rollbacks of the ledger. */
export const leaderboardRollback = Layer.succeed(RollbackHook, { beforeRollback: retractAfter })
