import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import type { Buckets, Granularity, RealizedSums, Span, Window, Within } from "./model.ts"
import { isWithin } from "./scopeSql.ts"

const daySeconds = 86_400

/** The newest second that an answer can have is that of its block. */
const spanOf = (window: Window, asOf: AsOf | undefined): Span => {
  if (window.kind === "all") return { after: undefined, before: undefined }
  if (window.kind === "range") return window
  const newest = Math.floor((asOf?.at.getTime() ?? 0) / 1000)
  return { after: newest - window.days * daySeconds + 1, before: newest + 1 }
}

/** Conditions on the time of an event `e`, of an answer as of `head`. */
const inWindow = (sql: SqlClient, window: Window): ReadonlyArray<Fragment> => {
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

const events = (sql: SqlClient, wallet: number | undefined, within: Within, window: Window): Fragment => sql`
  realized_event e where ${sql.and([
    sql`e.wallet = ${wallet ?? nobody}`,
    ...inWindow(sql, window),
    isWithin(sql, within, "e.token"),
  ])}`

/** Of events `e`. */
const sums = `
  total(e.amount) as realized, total(greatest(e.amount, 0)) as profit,
  (count(*) filter (where e.amount > 0))::int as wins, (count(*) filter (where e.amount < 0))::int as losses,
  count(*)::int as events`

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
export const readWindow = (sql: SqlClient, wallet: number | undefined, within: Within, window: Window) =>
  Effect.map(
    sql<AsOfRow & RealizedSums>`
      with head as materialized (${sql.literal(asOfSql)}),
      sums as (select ${sql.literal(sums)} from ${events(sql, wallet, within, window)})
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
  window: Window,
  { group, limit }: { readonly group: Granularity; readonly limit: number },
) =>
  Effect.map(
    sql<BucketRow>`
      with head as materialized (${sql.literal(asOfSql)}),
      bin as (
        select date_bin(${group === "hour" ? "1 hour" : "1 day"}::interval, e.at, 'epoch') as at, ${sql.literal(sums)}
        from ${events(sql, wallet, { kind: "everything" }, window)} group by 1),
      bucket as materialized (
        select date_trunc(${group}, at, 'UTC') as at, total(realized) as realized, total(profit) as profit,
          total(wins) as wins, total(losses) as losses, total(events) as events
        from bin group by 1),
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
