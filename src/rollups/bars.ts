import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { figures, summedSql } from "./figures.ts"
import { pricedTrades } from "./tradesSql.ts"

export interface BarTier {
  readonly seconds: number
  /** Fewest trades of a day that has such bars. */
  readonly dense: number
}

/**
 * Bars are kept of a token's busy days. Most days have a few trades, which are read as fast from the fills as
 * from as many bars. The thresholds bound what 500 candles of any length read: see `docs/architecture.md`.
 */
export const barTiers: ReadonlyArray<BarTier> = [
  { seconds: 300, dense: 256 },
  { seconds: 1_800, dense: 64 },
]

/** The tiers as a table `b`. */
export const tiersSql = (tiers: ReadonlyArray<BarTier>): string =>
  `(values ${tiers.map(({ seconds, dense }) => `(${seconds}, ${dense})`).join(", ")}) b (seconds, dense)`

/** A day of a token whose trades have become enough for bars of some seconds. */
export interface DenseDay {
  readonly token: number
  readonly day: number
  readonly seconds: number
}

/** The fills of all outcomes that are traded against the tokens of some days, within counted blocks. */
const fillsOfDays = (sql: SqlClient, days: Fragment, { from, to }: BlockRange): Fragment => sql`
  select f.* from (
    select distinct o.id, d.day from ${days} d
    join token t on t.id = d.token join token o on o.id = t.id or o.condition = t.condition) o
  cross join lateral (
    select * from fill f where f.token = o.id and f.at >= o.day * 86400 and f.at < (o.day + 1) * 86400
      and f.block between ${from} and ${to}) f`

/** Counts the first bars of days: all trades of the day in the counted blocks. */
export const insertBars = (sql: SqlClient, days: ReadonlyArray<DenseDay>, counted: BlockRange) => {
  const column = (read: (day: DenseDay) => number) => pgArray("int4", days.map(read))
  return sql`
    with dense as materialized (
      select * from unnest(${column(({ token }) => token)}, ${column(({ day }) => day)}, ${column(({ seconds }) => seconds)})
        d (token, day, seconds))
    insert into token_bar (token, seconds, at, ${sql.literal(figures)})
    select token, d.seconds, t.at / d.seconds * d.seconds, ${sql.literal(summedSql)}
    from (${pricedTrades(sql, fillsOfDays(sql, sql.literal("dense"), counted))}) t join dense d using (token, day)
    group by 1, 2, 3`
}

/** The bars of all dense days, from their fills. */
export const barsOf = (sql: SqlClient, fills: Fragment, tiers = barTiers): Fragment => sql`
  select token, b.seconds, t.at / b.seconds * b.seconds as at, ${sql.literal(summedSql)}
  from (${pricedTrades(sql, fills)}) t
  join (select token, day, trades as of_day from token_day) d using (token, day)
  join ${sql.literal(tiersSql(tiers))} on d.of_day >= b.dense
  group by 1, 2, 3`
