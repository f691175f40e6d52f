import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { tradePriceSql } from "#src/ledger/positions/price.ts"

/**
 * Trades of each token, by the fills `f` of whole blocks. Every share that changes hands, is minted or merged counts once in
 * its token. A maker's fill is a trade. A taker's fill sums up those of its makers, whose logs precede it: what it has beyond
 * makers of the same token was minted or merged with the other outcome, and is a trade too.
 */
export const tradesSql = (sql: SqlClient, fills: Fragment): Fragment => sql`
  with numbered as materialized (
    select f.block, f.log_index, f.at, f.token, f.maker, f.taker, f.is_sale, f.shares, f.usd,
      count(*) filter (where f.taker = 0) over (
        partition by f.block order by f.log_index rows between unbounded preceding and 1 preceding) as match
    from (${fills}) f),
  made as (
    select block, match, taker as maker, token, total(shares) as shares, total(usd) as usd
    from numbered where taker <> 0 group by block, match, taker, token)
  select block, log_index, at, token, is_sale as is_buy, shares, usd from numbered where taker <> 0 and shares > 0
  union all
  select n.block, n.log_index, n.at, n.token, not n.is_sale, n.shares - coalesce(m.shares, 0),
    greatest(0, n.usd - coalesce(m.usd, 0))
  from numbered n left join made m using (block, match, maker, token)
  where n.taker = 0 and n.shares > coalesce(m.shares, 0)`

/** The same trades with their day, price and place in the order of the chain. */
export const pricedTrades = (sql: SqlClient, fills: Fragment): Fragment => sql`
  select token, at, at / 86400 as day, is_buy, shares, usd, block * 1000000::int8 + log_index as place,
    ${sql.literal(tradePriceSql("usd", "shares"))} as price
  from (${tradesSql(sql, fills)}) t`
