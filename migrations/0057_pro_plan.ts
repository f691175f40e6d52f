import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** The plan `pro`, until now another name of `growth`. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table account drop constraint account_plan_check`
  yield* sql`
    alter table account add constraint account_plan_check
    check (plan in ('free', 'starter', 'growth', 'pro', 'enterprise'))`
})
