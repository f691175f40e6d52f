import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** A token that very many hold gets another price for some of them at a time: those below a number have the next one already. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    alter table leaderboard_price
      add column next integer,
      add column below integer not null default 0,
      add check (next is not null or below = 0)`
})
