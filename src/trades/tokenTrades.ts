/** What a taker's fill `f` has beyond the makers' fills of the same token in its match, whose logs precede it. */
const beyondMakers = `
  select f.shares - coalesce(sum(g.shares), 0)::int8 as shares, greatest(0, f.usd - coalesce(sum(g.usd), 0))::int8 as usd
  from fill g
  where g.block = f.block and g.at = f.at and g.taker = f.maker and g.token = f.token and g.log_index < f.log_index
    and g.log_index > coalesce((
      select max(h.log_index) from fill h
      where h.block = f.block and h.at = f.at and h.taker = 0 and h.log_index < f.log_index), -1)`

/**
 * The fills that stand for the trades of their token, as a table; the same trades as in `rollups/tradesSql.ts`, but row by row
 * for pages that an index finds. A maker's fill is a trade. A taker's fill stands for what it minted or merged with the other
 * outcome: no maker traded that in this token.
 */
export const tokenTradesSql = `(
  select f.block, f.log_index, f.at, f.maker, f.taker, f.token, f.builder, f.exchange, f.is_sale, f.order_hash, f.fee,
    traded.shares, traded.usd
  from fill f cross join lateral (
    select f.shares, f.usd where f.taker <> 0
    union all
    select shares, usd from (${beyondMakers}) beyond where f.taker = 0 and shares > 0) traded)`
