import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { Usdc } from "#src/domain/amounts.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { type BuilderDay, everyBuilder, type Listed, type RoutedDay, unknownBuilder } from "./model.ts"
import { newestFills } from "./newestSql.ts"
import { addedFigures, attributedSql, figures } from "./routedSql.ts"
import { type FigureRow, figureColumns, figuresIn } from "./TotalStore.ts"

export interface DayQuery {
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  /** The last day of the page before. */
  readonly behind: number | undefined
  /** Days that begin from this second on, and before this second. */
  readonly after: number | undefined
  readonly before: number | undefined
}

const isAsked = (sql: SqlClient, { order, behind, after, before }: DayQuery): Fragment =>
  sql.and([
    sql`true`,
    ...(after === undefined ? [] : [sql`d.day >= ${Math.ceil(after / 86_400)}`]),
    ...(before === undefined ? [] : [sql`d.day < ${Math.ceil(before / 86_400)}`]),
    ...(behind === undefined ? [] : [sql`d.day ${sql.literal(order === "desc" ? "<" : ">")} ${behind}`]),
  ])

/**
 * A page of days of a builder, or of every builder together, up to the newest block: CTEs that end with `page`. `newest` has
 * the fills that are not counted yet.
 */
const days = (sql: SqlClient, builder: number, query: DayQuery): Fragment => {
  const newest = newestFills(sql, builder === everyBuilder ? undefined : builder)
  const towards = sql.literal(query.order)
  const enough = query.offset + query.limit + 1
  return sql`
    newest as materialized (${attributedSql(sql, newest)}),
    newly_used as (
      select day, count(*)::int as users
      from (select distinct day, wallet from newest where builder = ${builder}) n
      where (
        select true from builder_day_user u where u.builder = ${builder} and u.day = n.day and u.wallet = n.wallet) is null
      group by day),
    part as (
      (select ${sql.literal(figureColumns("d"))}, d.day from builder_day d
        where d.builder = ${builder} and ${isAsked(sql, query)}
        order by d.day ${towards} limit ${enough})
      union all
      select * from (
        select ${sql.literal(figures)}, 0 as users, day from newest where builder = ${builder} group by day
        union all select 0, 0, 0, 0, 0, 0, null, null, users, day from newly_used) d where ${isAsked(sql, query)}),
    page as materialized (
      select ${sql.literal(addedFigures)}, sum(users)::int as users, d.day from part d group by d.day
      order by d.day ${towards} limit ${query.limit + 1} offset ${query.offset})`
}

type DayRow = AsOfRow & FigureRow & { readonly day: number | null }

const listOf = <Row extends DayRow, A>(
  rows: ReadonlyArray<Row>,
  limit: number,
  read: (row: Row, day: number) => A,
): Listed<A> => {
  const found = rows.flatMap((row) => (row.day === null ? [] : [read(row, row.day)]))
  return { rows: found.slice(0, limit), hasMore: found.length > limit, asOf: asOfIn(rows[0]) }
}

/** The days on which orders of a builder were filled. */
export const readDays = (sql: SqlClient, builder: number | null, query: DayQuery) =>
  Effect.map(
    sql<DayRow>`
      with ${days(sql, builder ?? unknownBuilder, query)}
      select head.*, ${sql.literal(figureColumns("d"))}, d.day
      from (${sql.literal(asOfSql)}) head left join page d on true
      order by d.day ${sql.literal(query.order)}`,
    (rows) => listOf(rows, query.limit, (row, day): BuilderDay => ({ ...figuresIn(row), day })),
  )

/** The days on which orders of any builder were filled, beside those of none. */
export const readRoutedDays = (sql: SqlClient, query: DayQuery) =>
  Effect.map(
    sql<DayRow & { readonly builders: number; readonly unrouted: Usdc<bigint> }>`
      with ${days(sql, everyBuilder, query)},
      recent as materialized (select day, builder, sum(usd) as usd from newest where builder >= 0 group by day, builder)
      select head.*, ${sql.literal(figureColumns("d"))}, d.day, n.builders, n.unrouted
      from (${sql.literal(asOfSql)}) head left join page d on true
      left join lateral (
        select (count(*) filter (where builder > 0))::int as builders,
          coalesce(sum(usd) filter (where builder = 0), 0)::int8 as unrouted
        from (
          select builder, sum(usd) as usd from (
            select b.builder, b.maker_buy + b.maker_sell + b.taker_buy + b.taker_sell as usd from builder_day b
            where b.day = d.day and b.builder >= 0
            union all select r.builder, r.usd from recent r where r.day = d.day) parts
          group by builder) own) n on true
      order by d.day ${sql.literal(query.order)}`,
    (rows) =>
      listOf(
        rows,
        query.limit,
        (row, day): RoutedDay => ({ ...figuresIn(row), day, builders: row.builders, unrouted: row.unrouted }),
      ),
  )
