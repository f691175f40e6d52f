import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Where a reorganisation and the follower's upkeep would otherwise read whole tables; and why the ledger stands still. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create index event_log_facts on event_log (ref) where kind in ('fill', 'split', 'merge', 'redemption',
    'conversion', 'transfer', 'fee_refund', 'collateral_flow', 'resolution')`
  yield* sql`create index event_log_reorgs on event_log (seq) where kind = 'reorg'`
  yield* sql`create index block_without_logs on block (number) where logs = 0`
  yield* sql`alter table chain_cursor add column halted text`
})
