import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { type Usdc, usdc } from "#src/domain/amounts.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import {
  type BuilderSort,
  everyBuilder,
  type Figures,
  type Listed,
  noBuilder,
  type RankedBuilder,
  unknownBuilder,
} from "./model.ts"
import { newestFills } from "./newestSql.ts"
import { type ProfileColumns, profileColumns, profileIn } from "./ProfileStore.ts"
import { addedFigures, attributedSql, figures, sums } from "./routedSql.ts"

export interface FigureRow {
  readonly maker_buy: Usdc<bigint>
  readonly maker_sell: Usdc<bigint>
  readonly taker_buy: Usdc<bigint>
  readonly taker_sell: Usdc<bigint>
  readonly fees: Usdc<bigint>
  readonly fills: bigint
  readonly first_at: number | null
  readonly last_at: number | null
  readonly users: number
}

export const figuresIn = (row: FigureRow): Figures => ({
  fills: row.fills,
  makerBuy: row.maker_buy,
  makerSell: row.maker_sell,
  takerBuy: row.taker_buy,
  takerSell: row.taker_sell,
  fees: row.fees,
  firstAt: row.first_at,
  lastAt: row.last_at,
  users: row.users,
})

const noFigures: Figures = {
  fills: 0n,
  makerBuy: usdc(0n),
  makerSell: usdc(0n),
  takerBuy: usdc(0n),
  takerSell: usdc(0n),
  fees: usdc(0n),
  firstAt: null,
  lastAt: null,
  users: 0,
}

/** Names of figures, as columns of `alias`. */
export const figureColumns = (alias: string) =>
  [...sums, "first_at", "last_at", "users"].map((name) => `${alias}.${name}`).join(", ")

/**
 * Totals of one builder, or of all, none and every one together, up to the newest block: CTEs that end with `total`. Known
 * users are looked up by a scalar subquery, because Postgres would answer `not exists` by reading all of them.
 */
const totals = (sql: SqlClient, builder: number | undefined): Fragment => {
  const own = builder === undefined ? sql`true` : sql`t.builder = ${builder}`
  return sql`
    newest as materialized (${attributedSql(sql, newestFills(sql, builder))}),
    newly_used as (
      select builder, count(*)::int as users from (select distinct builder, wallet from newest where builder <> 0) n
      where (select true from builder_user u where u.builder = n.builder and u.wallet = n.wallet) is null
      group by builder),
    added as (
      select ${sql.literal(figures)}, builder, 0 as users from newest group by builder
      union all select 0, 0, 0, 0, 0, 0, null, null, builder, users from newly_used),
    total as materialized (
      select ${sql.literal(addedFigures)}, sum(users)::int as users, builder
      from (
        select ${sql.literal(figureColumns("t"))}, t.builder from builder_total t where ${own}
        union all select ${sql.literal(figureColumns("a"))}, a.builder from added a) parts
      group by builder)`
}

/** The totals of a builder; nothing of one without fills. */
export const readTotals = (sql: SqlClient, builder: number | null) =>
  Effect.map(
    sql<AsOfRow & (FigureRow | { readonly fills: null })>`
      with ${totals(sql, builder ?? unknownBuilder)}
      select head.*, ${sql.literal(figureColumns("t"))}
      from (${sql.literal(asOfSql)}) head left join total t on t.builder = ${builder}`,
    ([row]) => ({
      figures: row === undefined || row.fills === null ? noFigures : figuresIn(row),
      asOf: asOfIn(row),
    }),
  )

const volume = "t.maker_buy + t.maker_sell + t.taker_buy + t.taker_sell"
const sortColumns: Readonly<Record<BuilderSort, string>> = {
  volume,
  fees: "t.fees",
  fills: "t.fills",
  users: "t.users::int8",
  last_fill: "t.last_at::int8",
}

/** Where a page ends. */
export interface BuilderPlace {
  readonly value: bigint
  readonly builder: number
}

export interface BuilderQuery {
  readonly sort: BuilderSort
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  readonly behind: BuilderPlace | undefined
}

export interface BuilderPage extends Listed<RankedBuilder> {
  readonly next: BuilderPlace | undefined
  /** Of all builders together, and of orders without one. */
  readonly every: Figures
  readonly none: Figures
}

type ListRow = AsOfRow &
  FigureRow &
  ProfileColumns & {
    readonly builder: number | null
    readonly place: bigint
    readonly code: string
    readonly volume_rank: number
  }

/** Builders with fills, in order. Their ranks are by volume, whatever the list is sorted by. */
export const readList = (sql: SqlClient, { sort, order, limit, offset, behind }: BuilderQuery) => {
  const towards = sql.literal(order)
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  const isBehind =
    behind === undefined
      ? sql`true`
      : sql`(t.place, t.builder) ${beyond} (${behind.value}::int8, ${behind.builder}::int)`
  return Effect.map(
    sql<ListRow>`
      with ${totals(sql, undefined)},
      ranked as (
        select t.*, ${sql.literal(sortColumns[sort])} as place,
          (row_number() over (order by ${sql.literal(volume)} desc, t.builder))::int as volume_rank
        from total t where t.builder > 0),
      page as (
        select * from ranked t where ${isBehind} order by place ${towards}, builder ${towards}
        limit ${limit + 1} offset ${offset}),
      shown as (
        select * from page union all
        select t.*, 0, 0 from total t where t.builder <= 0)
      select head.*, ${sql.literal(figureColumns("t"))}, t.builder, t.place, t.volume_rank,
        '0x' || encode(b.code, 'hex') as code, ${sql.literal(profileColumns)}
      from (${sql.literal(asOfSql)}) head left join shown t on true
      left join builder b on b.id = t.builder left join builder_profile p on p.code = b.code
      order by t.place ${towards}, t.builder ${towards}`,
    (rows): BuilderPage => {
      const of = (builder: number) => {
        const row = rows.find((each) => each.builder === builder)
        return row === undefined ? noFigures : figuresIn(row)
      }
      const found = rows.flatMap((row) =>
        row.builder === null || row.builder <= 0 ? [] : [{ ...row, builder: row.builder }],
      )
      const shown = found.slice(0, limit)
      const last = found.length > limit ? shown.at(-1) : undefined
      return {
        rows: shown.map((row) => ({
          ...figuresIn(row),
          id: row.builder,
          code: row.code,
          profile: profileIn(row),
          rank: row.volume_rank,
        })),
        hasMore: last !== undefined,
        next: last && { value: last.place, builder: last.builder },
        every: of(everyBuilder),
        none: of(noBuilder),
        asOf: asOfIn(rows[0]),
      }
    },
  )
}
