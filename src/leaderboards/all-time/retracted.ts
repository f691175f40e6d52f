import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { asOf, countedOf } from "./images.ts"

/**
 * Notes how the positions that are about to be taken back to `fork` are counted, before anything of them is. What was
 * noted earlier and not used yet is how they are counted still.
 */
export const noteRetractedPositions = Effect.fnUntraced(function* (sql: SqlClient, fork: number) {
  const [state] = yield* sql<{ block: number }>`select block from leaderboard_state where block > ${fork}`
  if (state === undefined) return
  const counted = state.block
  const touched = sql`
    select distinct u.wallet, u.token from position_undo u where u.block > ${fork} and u.block <= ${counted}`
  yield* sql`
    insert into leaderboard_retracted_position
      (wallet, token, existed, realized, profit, wins, losses, volume, open, shares, cost)
    select t.wallet, t.token, w.wallet is not null, ${sql.literal(
      ["realized", "profit", "wins", "losses", "volume"].map((name) => `coalesce(w.${name}, 0)`).join(", "),
    )}, coalesce(w.open, false), coalesce(w.shares, 0), coalesce(w.cost, 0)
    from (${touched}) t left join (${asOf(sql, counted, touched)}) w on w.wallet = t.wallet and w.token = t.token
    where not exists (
      select 1 from leaderboard_retracted_position n where n.wallet = t.wallet and n.token = t.token)`
})

/** What was noted, as it is counted. */
export const retracted = (sql: SqlClient): Fragment => sql`
  select n.wallet, n.token, ${sql.literal(countedOf("n"))}, n.open from leaderboard_retracted_position n where n.existed`
