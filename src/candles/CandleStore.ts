import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { tradePriceSql } from "#src/ledger/positions/price.ts"
import { tradesSql } from "#src/rollups/tradesSql.ts"
import type { Candle, Window } from "./model.ts"
import { shiftOf } from "./window.ts"

interface Row {
  readonly start: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly shares: bigint
  readonly usd: bigint
  readonly buy_usd: bigint
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

/** Trades of a token as candles of one trade. The fills of all outcomes tell minted shares from traded ones. */
const tradesOf = (
  sql: SqlClient,
  token: number,
  outcomes: ReadonlyArray<number>,
  conditions: Fragment,
): Fragment => sql`
  select at, price as open, price as high, price as low, price as close, shares, usd,
    case when is_buy then usd else 0 end as buy_usd, 1 as trades, place as first, place as last
  from (
    select t.*, block * 1000000::int8 + log_index as place,
      ${sql.literal(tradePriceSql("usd", "shares"))} as price
    from (${tradesSql(
      sql,
      sql`
        select f.* from unnest(${outcomes}::int[]) u(token) cross join lateral (
          select * from fill f where f.token = u.token and ${conditions}) f`,
    )}) t where t.token = ${token}) priced`

/** Whole days are counted by the rollups, except their newest blocks. */
const daysOf = (
  sql: SqlClient,
  token: number,
  outcomes: ReadonlyArray<number>,
  { start, end }: Window,
): Fragment => sql`
  select day * ${sql.literal(String(day))} as at, open, high, low, close, shares, usd, buy_usd, trades, first, last
  from token_day where token = ${token} and day >= ${start / day}::int and day < ${end / day}::int
  union all
  ${tradesOf(
    sql,
    token,
    outcomes,
    sql`
      f.at >= ${start} and f.at < ${end} and f.block > coalesce((select to_block from rollup_progress), 0)
        and f.at >= coalesce((
          select extract(epoch from b.at)::int from rollup_progress p join block b on b.number <= p.to_block
          order by b.number desc limit 1), 0)`,
  )}`

const timeOf = (place: string) =>
  `(select extract(epoch from b.at)::int from block b where b.number = ${place} / 1000000)`

/** The candles of a window that have trades, oldest first. */
export const readCandles = (sql: SqlClient, token: number, outcomes: ReadonlyArray<number>, window: Window) => {
  const { start, end, seconds } = window
  const isWholeDays = seconds >= day
  const parts = isWholeDays
    ? daysOf(sql, token, outcomes, window)
    : tradesOf(sql, token, outcomes, sql`f.at >= ${start} and f.at < ${end}`)
  const shift = shiftOf(seconds)
  return Effect.map(
    sql<Row>`
      select c.*, ${sql.literal(timeOf("c.first"))} as first_at, ${sql.literal(timeOf("c.last"))} as last_at
      from (
        select ${sql.literal(`(at + ${shift}) / ${seconds} * ${seconds} - ${shift}`)} as start,
          (array_agg(open order by first))[1] as open, max(high) as high, min(low) as low,
          (array_agg(close order by first))[count(*)] as close, total(shares) as shares, total(usd) as usd,
          total(buy_usd) as buy_usd, total(trades) as trades, min(first) as first, max(last) as last
        from (${parts}) part group by 1) c
      order by c.start`,
    (rows) => rows.map(candleOf),
  )
}

/** The newest second with a trade before a window, and the oldest one behind it. */
export const readNeighbours = (sql: SqlClient, token: number, { start, end }: Window) =>
  Effect.map(
    sql<{ older: number | null; newer: number | null }>`
      select (select max(at) from fill where token = ${token} and at < ${start}) as older,
        (select min(at) from fill where token = ${token} and at >= ${end}) as newer`,
    ([row]) => ({ older: row?.older ?? undefined, newer: row?.newer ?? undefined }),
  )

/** The price of the last trade in a second. */
export const readClose = (sql: SqlClient, token: number, outcomes: ReadonlyArray<number>, second: number) =>
  Effect.map(
    sql<{ close: number }>`
      select close from (${tradesOf(sql, token, outcomes, sql`f.at = ${second}`)}) t order by first desc limit 1`,
    ([row]) => row?.close,
  )
