import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"

/** Whoever follows the chain shares this lease's row in each of its transactions. */
export const followerLease = "chain-follower"

/** Until the transaction ends nobody else writes to the ledger: the follower waits, or fails and comes again. */
export const holdFollower = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`insert into lease (name) values (${followerLease}) on conflict do nothing`
  yield* sql`select 1 from lease where name = ${followerLease} for update`
  // Between statements we compute, and on a busy machine that may take longer than others may be idle.
  yield* sql`set local idle_in_transaction_session_timeout = '1min'`
})
