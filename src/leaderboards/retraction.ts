import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { noteRetractedPositions } from "./all-time/retracted.ts"

/**
 * Notes what the boards count and the chain takes back, before anything is undone. A refresh that is under way meanwhile
 * wants to lock the last block that it counts: either it comes first and is seen here, or that block is gone and all that
 * it did is in vain.
 */
export const retractAfter = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  yield* sql`select 1 from block where number > ${fork} order by number for update`
  yield* sql`
    insert into leaderboard_retracted_event (at, wallet, token, amount)
    select e.at, e.wallet, e.token, e.amount from realized_event e
    where e.block > ${fork} and e.block <= (select block from leaderboard_state)`
  yield* noteRetractedPositions(sql, fork)
  // The time stays: it says from when on events are counted.
  yield* sql`update leaderboard_state set block = ${fork} where block > ${fork}`
})
