import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/**
 * Positions by token first. Tokens are numbered as they come, so what history writes lies close together; and the index
 * by wallet is one that only readers need, so that history comes without it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`alter table position drop constraint position_pkey`
  yield* sql`drop index position_holders`
  yield* sql`alter table position add primary key (token, wallet)`
  yield* sql`create index position_wallet on position (wallet, token)`
})
