import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** The stock changes of a wallet, for the explanation of its positions. Few wallets have any. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`create index stock_change_wallet on stock_change (wallet, token)`
})
