import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { worthSql } from "#src/ledger/positions/price.ts"

/** Updates the open holdings of wallets and tokens (`pairs`) to their positions as of a block (see pastPositions.ts). */
export const hold = Effect.fnUntraced(function* (sql: SqlClient, pairs: Fragment, positions: Fragment) {
  yield* sql`
    insert into leaderboard_open (token, wallet, shares, cost, realized)
    select p.token, p.wallet, p.shares, p.cost, p.realized from (${positions}) p where p.open
    on conflict (token, wallet) do update set shares = excluded.shares, cost = excluded.cost, realized = excluded.realized`
  yield* sql`
    delete from leaderboard_open o using (${pairs}) c
    where o.token = c.token and o.wallet = c.wallet and not exists (
      select from (${positions}) p where p.open and p.token = c.token and p.wallet = c.wallet)`
})

/** Unrealized P&L per wallet, of the open holdings `o` that fit. Shares without a price are worth what they cost. */
export const unrealizedOf = (sql: SqlClient, fitting: Fragment): Fragment => sql`
  select o.wallet, total(coalesce(${sql.literal(worthSql("o.shares", "p.price"))} - o.cost, 0)) as unrealized
  from leaderboard_open o join leaderboard_price p on p.token = o.token
  where ${fitting} group by o.wallet`
