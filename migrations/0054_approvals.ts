import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Approvals are retracted with their block, like facts. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`drop index event_log_facts`
  yield* sql`create index event_log_facts on event_log (ref) where kind in ('fill', 'split', 'merge', 'redemption',
    'conversion', 'transfer', 'fee_refund', 'fee_charge', 'collateral_flow', 'resolution', 'combo', 'condition_rename',
    'approval', 'block')`
})
