import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Conversions may have a fee, and those of Protocol V2 name no neg-risk market. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table conversion alter column neg_risk_market drop not null, add column received bigint`
  yield* sql`update conversion set received = amount`
  yield* sql`alter table conversion alter column received set not null`
})
