import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { shareChanges } from "#src/ledger/shareChanges.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { type BarTier, barTiers, type DenseDay, insertBars, tiersSql } from "./bars.ts"
import { figures, mergedSql, summedSql } from "./figures.ts"
import { uncountedRange } from "./progress.ts"
import { pricedTrades } from "./tradesSql.ts"

const fillsOf = (sql: SqlClient, { from, to }: BlockRange) =>
  sql`select * from fill where block between ${from} and ${to}`

const secondsPerDay = 86_400

/** What was traded of each token on each day, in some blocks. */
export const tradedDays = (sql: SqlClient, range: BlockRange): Fragment => sql`
  select token, day, ${sql.literal(summedSql)} from (${pricedTrades(sql, fillsOf(sql, range))}) t group by token, day`

interface Added {
  readonly trades: bigint
  readonly usd: bigint
  /** Days that have no bars yet. */
  readonly dense: ReadonlyArray<DenseDay>
}

/**
 * Adds the trades of some blocks to their days, and to the bars of days that have bars. A day may have trades of other blocks
 * already, earlier or later ones.
 */
const addDays = (sql: SqlClient, range: BlockRange, tiers: ReadonlyArray<BarTier>) => sql<Added>`
  with trade as materialized (${pricedTrades(sql, fillsOf(sql, range))}),
  traded as materialized (select token, day, ${sql.literal(summedSql)} from trade group by token, day),
  added as (
    insert into token_day as d (token, day, ${sql.literal(figures)}) select * from traded
    on conflict (token, day) do update set ${sql.literal(mergedSql)} returning d.token, d.day, d.trades),
  dense as materialized (
    select token, day, b.seconds, a.trades - t.trades >= b.dense as has_bars
    from added a join traded t using (token, day) join ${sql.literal(tiersSql(tiers))} on a.trades >= b.dense),
  bars as (
    insert into token_bar as d (token, seconds, at, ${sql.literal(figures)})
    select token, e.seconds, t.at / e.seconds * e.seconds, ${sql.literal(summedSql)}
    from trade t join dense e using (token, day) where e.has_bars group by 1, 2, 3
    on conflict (token, seconds, at) do update set ${sql.literal(mergedSql)})
  select coalesce(sum(trades), 0)::int8 as trades, coalesce(sum(usd), 0)::int8 as usd,
    (select coalesce(json_agg(json_build_object('token', token, 'day', day, 'seconds', seconds)), '[]')
      from dense where not has_bars) as dense
  from traded`

const addSupplies = (sql: SqlClient, range: BlockRange) => sql`
  insert into token_supply as s (token, shares)
  select token, total(shares) from (${shareChanges(sql, range)}) c group by token having total(shares) <> 0 order by token
  on conflict (token) do update set shares = s.shares + excluded.shares`

/** The counted blocks together with those that are being counted. */
const countedWith = (sql: SqlClient, { from, to }: BlockRange) =>
  Effect.map(
    sql<BlockRange>`
      select least(from_block, ${from}::int) as from, greatest(to_block, ${to}::int) as to from rollup_progress`,
    ([counted]) => counted ?? { from, to },
  )

/** Counts the facts of some blocks, which must border on the counted ones. */
export const count = Effect.fnUntraced(function* (sql: SqlClient, range: BlockRange, tiers = barTiers) {
  const [added] = yield* addDays(sql, range, tiers)
  if (added !== undefined && added.dense.length > 0) yield* insertBars(sql, added.dense, yield* countedWith(sql, range))
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
  yield* sql`
    delete from token_bar where at >= coalesce((
      select extract(epoch from b.at)::int / ${secondsPerDay} * ${secondsPerDay} from ledger_coverage v
      join block b on b.number >= v.dropped_before order by b.number limit 1), 0)`
  yield* sql`delete from token_supply`
  yield* sql`insert into token_supply select token, total(shares) from position_base group by token`
})

/** The next blocks to count; undefined if none. */
export const nextRange = Effect.fnUntraced(function* (sql: SqlClient, reorgDepth: number, most?: number) {
  yield* sql`
    insert into rollup_progress (from_block, to_block, trades, usd)
    select coalesce(v.facts_from, c.started_from), coalesce(v.facts_from, c.started_from) - 1, d.trades, d.usd
    from (select coalesce(sum(trades), 0)::int8 as trades, coalesce(sum(usd), 0)::int8 as usd from token_day) d
    cross join chain_cursor c left join ledger_coverage v on true
    where not exists (select from rollup_progress) on conflict (single) do nothing`
  return yield* uncountedRange(sql, "rollup_progress", reorgDepth, most)
})
