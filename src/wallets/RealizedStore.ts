import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import type { Within } from "#src/positions/sums/model.ts"
import { isWithin } from "#src/positions/sums/scopeSql.ts"
import { firstUncountedDay } from "#src/rollups/WalletDayStore.ts"
import type { Buckets, Granularity, PnlWindow, RealizedSums, Span } from "./model.ts"

const daySeconds = 86_400
const everything = { kind: "everything" } as const

/** The newest second that an answer can have is that of its block. */
const spanOf = (window: PnlWindow, asOf: AsOf | undefined): Span => {
  if (window.kind === "all") return { after: undefined, before: undefined }
  if (window.kind === "range") return window
  const newest = Math.floor((asOf?.at.getTime() ?? 0) / 1000)
  return { after: newest - window.days * daySeconds + 1, before: newest + 1 }
}

/** Conditions on the time of an event `e`, of an answer as of `head`. */
const inWindow = (sql: SqlClient, window: PnlWindow): ReadonlyArray<Fragment> => {
  if (window.kind === "all") return []
  if (window.kind === "days")
    return [sql`e.at > (select as_of_at from head) - make_interval(days => ${window.days}::int)`]
  const { after, before } = window
  return [
    ...(after === undefined ? [] : [sql`e.at >= to_timestamp(${after})`]),
    ...(before === undefined ? [] : [sql`e.at < to_timestamp(${before})`]),
  ]
}

/** An id that no wallet has. */
const nobody = -1

const events = (sql: SqlClient, wallet: number | undefined, within: Within, window: PnlWindow): Fragment => sql`
  realized_event e where ${sql.and([
    sql`e.wallet = ${wallet ?? nobody}`,
    ...inWindow(sql, window),
    isWithin(sql, within, "e.token"),
  ])}`

/** The first day that lies in a window as a whole. */
const firstDay = (sql: SqlClient, window: PnlWindow): Fragment => {
  if (window.kind === "all") return sql.literal("0")
  if (window.kind === "range") return sql`${Math.ceil((window.after ?? 0) / daySeconds)}::int`
  return sql`coalesce((select extract(epoch from as_of_at)::int / ${daySeconds}::int from head), 0) - ${window.days}::int + 1`
}

/** The first day after that which does not. */
const dayAfter = (sql: SqlClient, window: PnlWindow): Fragment =>
  window.kind === "range" && window.before !== undefined
    ? sql`${Math.floor(window.before / daySeconds)}::int`
    : sql.literal("2147483647")

const noDays = "select 0 as first, 0 as last"

/**
 * The whole days of a window that the rollups count, from `first` to before `last`; other events are read one by one. Only
 * where everything is added up.
 */
const countedDays = (sql: SqlClient, within: Within, window: PnlWindow): Fragment =>
  within.kind === "everything"
    ? sql`
      select first, greatest(first, least(${dayAfter(sql, window)}, ${sql.literal(firstUncountedDay)})) as last
      from (select ${firstDay(sql, window)} as first) day`
    : sql.literal(noDays)

const startOfDay = (day: string) => `(select to_timestamp(${day} * 86400.0) from counted)`

/** Sums of events `e` by `bin` of their time, beside the `counted` days: two ranges, so that an index finds each. */
const uncounted = (sql: SqlClient, from: Fragment, bin: Fragment): Fragment => sql`
  select ${bin} as at, ${sql.literal(sums)} from ${from} and e.at < ${sql.literal(startOfDay("first"))} group by 1
  union all
  select ${bin} as at, ${sql.literal(sums)} from ${from} and e.at >= ${sql.literal(startOfDay("last"))} group by 1`

/** What a wallet realized in a window, by `bin` and by whole days: rows that are still to be added up. */
const realizedParts = (
  sql: SqlClient,
  wallet: number | undefined,
  within: Within,
  window: PnlWindow,
  bin: Fragment,
): Fragment => sql`
  select to_timestamp(d.day * 86400.0) as at, d.realized, d.profit, d.wins, d.losses, d.events
  from wallet_day d where d.wallet = ${wallet ?? nobody}
    and d.day >= (select first from counted) and d.day < (select last from counted)
  union all ${uncounted(sql, events(sql, wallet, within, window), bin)}`

/** Of events `e`. */
const sums = `
  total(e.amount) as realized, total(greatest(e.amount, 0)) as profit,
  (count(*) filter (where e.amount > 0))::int as wins, (count(*) filter (where e.amount < 0))::int as losses,
  count(*)::int as events`

/** Of parts. */
const added = `
  total(realized) as realized, total(profit) as profit, total(wins) as wins, total(losses) as losses, total(events) as events`

const sumsIn = ({ realized, profit, wins, losses, events }: RealizedSums): RealizedSums => ({
  realized,
  profit,
  wins,
  losses,
  events,
})

export interface WindowSums {
  readonly sums: RealizedSums
  readonly span: Span
  readonly asOf: AsOf | undefined
}

const noEvents: RealizedSums = { realized: 0n, profit: 0n, wins: 0, losses: 0, events: 0 }

/** What a wallet realized in a window. */
export const readWindow = (sql: SqlClient, wallet: number | undefined, within: Within, window: PnlWindow) =>
  Effect.map(
    sql<AsOfRow & RealizedSums>`
      with head as materialized (${sql.literal(asOfSql)}),
      counted as materialized (${countedDays(sql, within, window)}),
      sums as (
        select ${sql.literal(added)}
        from (${realizedParts(sql, wallet, within, window, sql.literal("null::timestamptz"))}) part)
      select * from head cross join sums`,
    ([row]): WindowSums => {
      const asOf = asOfIn(row)
      return { sums: row === undefined ? noEvents : sumsIn(row), span: spanOf(window, asOf), asOf }
    },
  )

type BucketRow = AsOfRow &
  RealizedSums & {
    /** Null for the row of totals. */
    readonly start: number | null
    readonly cumulative: bigint
    readonly buckets: number
  }

/**
 * What a wallet realized in each hour, day, week (from Monday) or month of UTC. Events are first added up by hour or day, which
 * takes half as long as finding the week or month of each.
 */
export const readBuckets = (
  sql: SqlClient,
  wallet: number | undefined,
  window: PnlWindow,
  { group, limit }: { readonly group: Granularity; readonly limit: number },
) => {
  const bin = sql.literal(`date_bin('1 ${group === "hour" ? "hour" : "day"}', e.at, 'epoch')`)
  return Effect.map(
    sql<BucketRow>`
      with head as materialized (${sql.literal(asOfSql)}),
      counted as materialized (
        ${group === "hour" ? sql.literal(noDays) : countedDays(sql, everything, window)}),
      bucket as materialized (
        select date_trunc(${group}, at, 'UTC') as at, ${sql.literal(added)}
        from (${realizedParts(sql, wallet, everything, window, bin)}) part group by 1),
      shown as (
        select extract(epoch from at)::int as start, realized, profit, wins, losses, events,
          (sum(realized) over (order by at))::int8 as cumulative
        from bucket order by at desc limit ${limit}),
      totals as (
        select null::int as start, coalesce(sum(realized), 0)::int8 as realized, coalesce(sum(profit), 0)::int8 as profit,
          coalesce(sum(wins), 0)::int as wins, coalesce(sum(losses), 0)::int as losses,
          coalesce(sum(events), 0)::int as events, 0::int8 as cumulative
        from bucket)
      select head.*, (select count(*) from bucket)::int as buckets, b.*
      from head cross join (select * from shown union all select * from totals) b
      order by b.start nulls first`,
    ([totals, ...rows]): Buckets => {
      const asOf = asOfIn(totals)
      return {
        buckets: rows.map((row) => ({ ...sumsIn(row), start: row.start ?? 0, cumulative: row.cumulative })),
        totals: totals === undefined ? noEvents : sumsIn(totals),
        hasMore: (totals?.buckets ?? 0) > rows.length,
        span: spanOf(window, asOf),
        asOf,
      }
    },
  )
}
