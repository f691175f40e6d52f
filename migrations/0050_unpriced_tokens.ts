import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * A token that nobody traded or listed has no price. It was valued at the 0.50 that a split makes it, which showed a profit for
 * shares that came cheaper, by a conversion or from a combo.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table leaderboard_price alter column price drop not null`
  yield* sql`
    update leaderboard_price p set price = null
    where not traded and not exists (
      select from token t join market m on m.condition = t.condition where t.id = p.token)`
})
