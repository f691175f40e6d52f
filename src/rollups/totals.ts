import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { shareChanges } from "#src/ledger/shareChanges.ts"

/**
 * Adds up what wallets and markets have, as of the leaderboards' block. Open interest is what the shares of unresolved
 * conditions pay at most: one outcome of each wins.
 */
export const updateTotals = (sql: SqlClient) => {
  const newest = shareChanges(sql, {
    from: sql`(select to_block + 1 from rollup_progress)`,
    to: sql`(select block from leaderboard_state)`,
  })
  return sql`
    with supply as (
      select token, sum(shares)::int8 as shares
      from (select token, shares from token_supply union all select token, shares from (${newest}) n) parts group by token),
    interest as (
      select coalesce(sum(most), 0) as open_interest from (
        select max(u.shares) as most from token t join supply u on u.token = t.id
        where t.resolved_at is null and t.condition is not null and u.shares > 0 group by t.condition) open)
    insert into ledger_total (block, wallets, positions, realized, profit, open_interest)
    select s.block, count(b.wallet), coalesce(sum(b.positions), 0), coalesce(sum(b.realized), 0), coalesce(sum(b.profit), 0),
      (select open_interest from interest)
    from leaderboard_state s left join leaderboard_standing b on b.scope = 0 group by s.block
    on conflict (single) do update set block = excluded.block, wallets = excluded.wallets, positions = excluded.positions,
      realized = excluded.realized, profit = excluded.profit, open_interest = excluded.open_interest`
}
