import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { Price, Shares, Usdc } from "#src/domain/amounts.ts"
import { type BarTier, barTiers } from "#src/rollups/bars.ts"
import { pricedTrades } from "#src/rollups/tradesSql.ts"
import type { Candle, CandleWindow } from "./model.ts"
import { shiftOf } from "./window.ts"

interface Row {
  readonly start: number
  readonly open: Price
  readonly high: Price
  readonly low: Price
  readonly close: Price
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly buy_usd: Usdc<bigint>
  readonly trades: number
  readonly first: bigint
  readonly last: bigint
  readonly first_at: number
  readonly last_at: number
}

const day = 86_400
const placeOf = (place: bigint) => ({ block: Number(place / 1_000_000n), logIndex: Number(place % 1_000_000n) })

const candleOf = (row: Row): Candle => {
  const [first, last] = [placeOf(row.first), placeOf(row.last)]
  return {
    start: row.start,
    open: row.open,
    high: row.high,
    low: row.low,
    close: row.close,
    shares: row.shares,
    usd: row.usd,
    buyUsd: row.buy_usd,
    trades: row.trades,
    trade: {
      firstAt: row.first_at,
      lastAt: row.last_at,
      firstBlock: first.block,
      lastBlock: last.block,
      firstLogIndex: first.logIndex,
      lastLogIndex: last.logIndex,
    },
  }
}

interface Source {
  readonly token: number
  /** All outcomes of the token's market: their fills tell minted shares from traded ones. */
  readonly outcomes: ReadonlyArray<number>
}

type Span = Pick<CandleWindow, "start" | "end">

/**
 * Each trade of a token as a candle of its own. The trades come from the fills `f` of some ranges of seconds within the span
 * that meet `conditions`. Postgres plans these statements once and does not know the values. The condition on the span keeps
 * it from reading other months. `offset 0` makes it read the fills of each range by their index.
 */
const tradesIn = (
  sql: SqlClient,
  { token, outcomes }: Source,
  { start, end }: Span,
  ranges: Fragment,
  conditions?: Fragment,
): Fragment => sql`
  select at, price as open, price as high, price as low, price as close, shares, usd,
    case when is_buy then usd else 0 end as buy_usd, 1 as trades, place as first, place as last
  from (${pricedTrades(
    sql,
    sql`
      select f.* from unnest(${outcomes}::int[]) u(token) cross join (${ranges}) r (start, stop) cross join lateral (
        select * from fill f where f.token = u.token and f.at >= r.start and f.at < r.stop
          and f.at >= ${start}::int8 and f.at < ${end}::int8 and ${conditions ?? sql`true`} offset 0) f`,
  )}) t where t.token = ${token}`

const rangeOf = (sql: SqlClient, { start, end }: Span) => sql`select ${start}::int8, ${end}::int8`

/** Trades in blocks that the rollups do not count yet. */
const newestTrades = (sql: SqlClient, source: Source, window: CandleWindow) =>
  tradesIn(
    sql,
    source,
    window,
    sql`
      select greatest(${window.start}::int8, coalesce((
        select extract(epoch from b.at)::int from rollup_progress p join block b on b.number <= p.to_block
        order by b.number desc limit 1), 0)), ${window.end}::int8`,
    sql`f.block > coalesce((select to_block from rollup_progress), 0)`,
  )

/** Whole days are counted by the rollups, except their newest blocks. */
const daysOf = (sql: SqlClient, source: Source, window: CandleWindow): Fragment => sql`
  select day * ${sql.literal(String(day))} as at, open, high, low, close, shares, usd, buy_usd, trades, first, last
  from token_day
  where token = ${source.token} and day >= ${window.start / day}::int and day < ${window.end / day}::int
  union all ${newestTrades(sql, source, window)}`

/** Bars of the days that have them, with their newest blocks, and the trades of the other days. */
const barsOf = (sql: SqlClient, source: Source, window: CandleWindow, { seconds, dense }: BarTier): Fragment => {
  const { start, end } = window
  const daysWithBars = sql`
    select day from token_day where token = ${source.token} and trades >= ${dense}
      and day >= ${Math.floor(start / day)}::int and day <= ${Math.floor(end / day)}::int`
  const [perDay, lastDay] = [sql.literal(String(day)), sql.literal(String(Math.floor(2 ** 31 / day)))]
  // What lies between two days with bars.
  const otherDays = sql`
    select greatest(${start}::int8, first * ${perDay}), least(${end}::int8, next * ${perDay}) from (
      select coalesce(lag(day) over (order by day) + 1, 0) as first, day as next
      from (${daysWithBars} union all select ${lastDay}) d) gap
    where first < next and first * ${perDay} < ${end}::int8 and next * ${perDay} > ${start}::int8`
  return sql`
    select at, open, high, low, close, shares, usd, buy_usd, trades, first, last
    from token_bar where token = ${source.token} and seconds = ${seconds}::int2 and at >= ${start}::int8 and at < ${end}::int8
    union all
    select * from (${newestTrades(sql, source, window)}) newest where at / ${perDay} in (${daysWithBars})
    union all
    ${tradesIn(sql, source, window, otherDays)}`
}

/** What the candles of a window are added up from: the coarsest that is kept. */
const partsOf = (sql: SqlClient, source: Source, window: CandleWindow, tiers: ReadonlyArray<BarTier>): Fragment => {
  if (window.seconds >= day) return daysOf(sql, source, window)
  const tier = tiers.findLast(({ seconds }) => seconds <= window.seconds)
  return tier === undefined ? tradesIn(sql, source, window, rangeOf(sql, window)) : barsOf(sql, source, window, tier)
}

const timeOf = (place: string) =>
  `(select extract(epoch from b.at)::int from block b where b.number = ${place} / 1000000)`

/** Parts that are trades have their times; bars and days have the places of their trades alone. */
const timesOf = (sql: SqlClient, { seconds }: CandleWindow, tiers: ReadonlyArray<BarTier>) => {
  const areTrades = seconds < day && tiers.every((tier) => tier.seconds > seconds)
  return sql.literal(
    areTrades ? "c.first_at, c.last_at" : `${timeOf("c.first")} as first_at, ${timeOf("c.last")} as last_at`,
  )
}

/** The candles of a window that have trades, oldest first. */
export const readCandles = (sql: SqlClient, source: Source, window: CandleWindow, tiers = barTiers) => {
  const { seconds } = window
  const parts = partsOf(sql, source, window, tiers)
  const shift = shiftOf(seconds)
  return Effect.map(
    sql<Row>`
      select c.start, c.open, c.high, c.low, c.close, c.shares, c.usd, c.buy_usd, c.trades, c.first, c.last,
        ${timesOf(sql, window, tiers)}
      from (
        select ${sql.literal(`(at + ${shift}) / ${seconds} * ${seconds} - ${shift}`)} as start,
          (array_agg(open order by first))[1] as open, max(high) as high, min(low) as low,
          (array_agg(close order by first))[count(*)] as close, total(shares) as shares, total(usd) as usd,
          total(buy_usd) as buy_usd, total(trades) as trades, min(first) as first, max(last) as last,
          min(at) as first_at, max(at) as last_at
        from (${parts}) part group by 1) c
      order by c.start`,
    (rows) => rows.map(candleOf),
  )
}

/** The newest second with a trade before a window, and the oldest one behind it. */
export const readNeighbours = (sql: SqlClient, token: number, { start, end }: CandleWindow) =>
  Effect.map(
    sql<{ older: number | null; newer: number | null }>`
      select (select max(at) from fill where token = ${token} and at < ${start}::int8) as older,
        (select min(at) from fill where token = ${token} and at >= ${end}::int8) as newer`,
    ([row]) => ({ older: row?.older ?? undefined, newer: row?.newer ?? undefined }),
  )

/** The price of the last trade in a second. */
export const readClose = (sql: SqlClient, source: Source, second: number) => {
  const span = { start: second, end: second + 1 }
  return Effect.map(
    sql<{ close: Price }>`
      select close from (${tradesIn(sql, source, span, rangeOf(sql, span))}) t
      order by first desc limit 1`,
    ([row]) => row?.close,
  )
}
