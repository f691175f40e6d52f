import { Effect } from "effect"
import { SqlClient } from "effect/unstable/sql/SqlClient"

/** `bought` counts the shares that a wallet received: without fees in shares, with refunds of them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient
  const withheld = sql.literal(`
    select block, maker as wallet, token, -fee as shares from fill where fee_in_shares and side = 0 and fee > 0
    union all
    select block, wallet, token, amount from fee_refund where in_shares`)
  yield* sql`
    update position p set bought = p.bought + w.shares
    from (select wallet, token, sum(shares) as shares from (${withheld}) w group by wallet, token) w
    where p.wallet = w.wallet and p.token = w.token`
  // A note says how the position was before its block.
  yield* sql`
    update position_undo u set bought = u.bought + w.shares
    from (
      select n.block, n.wallet, n.token, sum(w.shares) as shares
      from position_undo n join (${withheld}) w on w.wallet = n.wallet and w.token = n.token and w.block < n.block
      group by n.block, n.wallet, n.token) w
    where u.block = w.block and u.wallet = w.wallet and u.token = w.token and u.bought is not null`
})
