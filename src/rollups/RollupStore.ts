import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { tradePriceSql } from "#src/ledger/positions/price.ts"
import { shareChanges } from "#src/ledger/shareChanges.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { uncountedRange } from "./progress.ts"
import { tradesSql } from "./tradesSql.ts"

const fillsOf = (sql: SqlClient, { from, to }: BlockRange) =>
  sql`select * from fill where block between ${from} and ${to}`

const secondsPerDay = 86_400

/** What was traded of each token on each day, in some blocks. */
export const tradedDays = (sql: SqlClient, range: BlockRange): Fragment => sql`
  select token, day, count(*)::int as trades, (count(*) filter (where is_buy))::int as buys, total(shares) as shares,
    total(usd) as usd, total(case when is_buy then usd else 0 end) as buy_usd,
    (array_agg(price order by place))[1] as open, max(price) as high, min(price) as low,
    (array_agg(price order by place))[count(*)] as close, min(place) as first, max(place) as last
  from (
    select token, at / ${sql.literal(String(secondsPerDay))} as day, is_buy, shares, usd,
      block * 1000000::int8 + log_index as place,
      ${sql.literal(tradePriceSql("usd", "shares"))} as price
    from (${tradesSql(sql, fillsOf(sql, range))}) t) trade
  group by token, day`

/** Adds the trades of some blocks to their days. A day may have trades of other blocks already, earlier or later ones. */
const addDays = (sql: SqlClient, range: BlockRange) => sql<{ trades: bigint; usd: bigint }>`
  with traded as materialized (${tradedDays(sql, range)}),
  added as (
    insert into token_day as d (token, day, trades, buys, shares, usd, buy_usd, open, high, low, close, first, last)
    select * from traded
    on conflict (token, day) do update set
      trades = d.trades + excluded.trades, buys = d.buys + excluded.buys, shares = d.shares + excluded.shares,
      usd = d.usd + excluded.usd, buy_usd = d.buy_usd + excluded.buy_usd,
      open = case when excluded.first < d.first then excluded.open else d.open end,
      high = greatest(d.high, excluded.high), low = least(d.low, excluded.low),
      close = case when excluded.last > d.last then excluded.close else d.close end,
      first = least(d.first, excluded.first), last = greatest(d.last, excluded.last))
  select coalesce(sum(trades), 0)::int8 as trades, coalesce(sum(usd), 0)::int8 as usd from traded`

const addSupplies = (sql: SqlClient, range: BlockRange) => sql`
  insert into token_supply as s (token, shares)
  select token, total(shares) from (${shareChanges(sql, range)}) c group by token having total(shares) <> 0 order by token
  on conflict (token) do update set shares = s.shares + excluded.shares`

/** Counts the facts of some blocks, which must border on the counted ones. */
export const count = Effect.fnUntraced(function* (sql: SqlClient, range: BlockRange) {
  const [added] = yield* addDays(sql, range)
  yield* addSupplies(sql, range)
  yield* sql`
    update rollup_progress set from_block = least(from_block, ${range.from}), to_block = greatest(to_block, ${range.to}),
      fills = fills + (select count(*) from (${fillsOf(sql, range)}) f), trades = trades + ${added?.trades ?? 0n},
      usd = usd + ${added?.usd ?? 0n},
      redemptions = redemptions + (select count(*) from redemption where block between ${range.from} and ${range.to})`
})

/**
 * Forgets what was counted of the facts that the ledger has, because they changed. Days of facts that were dropped stay:
 * months are dropped as a whole.
 */
export const reset = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`delete from rollup_progress`
  yield* sql`
    delete from token_day where day >= coalesce((
      select extract(epoch from b.at)::int / ${secondsPerDay} from ledger_coverage v
      join block b on b.number >= v.dropped_before order by b.number limit 1), 0)`
  yield* sql`delete from token_supply`
  yield* sql`insert into token_supply select token, total(shares) from position_base group by token`
})

/** The next blocks to count; undefined if none. */
export const nextRange = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number, most?: number) {
  yield* sql`
    insert into rollup_progress (from_block, to_block, trades, usd)
    select coalesce(v.facts_from, c.started_from), coalesce(v.facts_from, c.started_from) - 1, d.trades, d.usd
    from (select coalesce(sum(trades), 0)::int8 as trades, coalesce(sum(usd), 0)::int8 as usd from token_day) d cross join chain_cursor c left join ledger_coverage v on true on conflict (single) do nothing`
  return yield* uncountedRange(sql, "rollup_progress", reorgDepth, most)
})
