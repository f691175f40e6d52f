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
  -- By windows, because a join with the sums of makers compared each taker with all of them where few were expected.
  summed as (
    select n.*, total(shares) filter (where taker <> 0) over made as made_shares,
      total(usd) filter (where taker <> 0) over made as made_usd
    from numbered n window made as (partition by block, match, token, case taker when 0 then maker else taker end))
  select block, log_index, at, token, case when taker = 0 then not is_sale else is_sale end as is_buy,
    case when taker = 0 then shares - coalesce(made_shares, 0) else shares end as shares,
    case when taker = 0 then greatest(0, usd - coalesce(made_usd, 0)) else usd end as usd
  from summed where shares > case when taker = 0 then coalesce(made_shares, 0) else 0 end`

/** The same trades with their day, price and place in the order of the chain. */
export const pricedTrades = (sql: SqlClient, fills: Fragment): Fragment => sql`
  select token, at, at / 86400 as day, is_buy, shares, usd, block * 1000000::int8 + log_index as place,
    ${sql.literal(tradePriceSql("usd", "shares"))} as price
  from (${tradesSql(sql, fills)}) t`
