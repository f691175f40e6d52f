import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** Sorted lists of positions. History comes without these indexes; later changes of a position also change them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  const indexes = {
    // Positions change in the order of time, so that new entries are appended to the end of the index.
    position_recent: "create index position_recent on position (changed_at, token, wallet)",
    position_wallet_realized: "create index position_wallet_realized on position (wallet, realized, token)",
    // The holders of a token are spread over the table, so lists sort them from the index alone.
    position_token:
      "create index position_token on position (token, realized, wallet) include (shares, cost, bought, paid, redeemed, partial, changed_at)",
  }
  const isBeingFilled = (yield* sql`select from deferred_index where name = 'position_wallet'`).length > 0
  for (const [name, definition] of Object.entries(indexes)) {
    yield* isBeingFilled
      ? sql`insert into deferred_index (name, definition) values (${name}, ${definition})`
      : sql.unsafe(definition)
  }
  // Combos are left out of lists unless they are asked for.
  yield* sql.unsafe(`
    create index token_combo on token (id)
    where substr(hash, 1, 1) = '\\x03'::bytea and substr(hash, 20, 8) = '\\x0000000000000000'::bytea`)
})
