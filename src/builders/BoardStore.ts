import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import type { Usdc } from "#src/domain/amounts.ts"
import {
  type BoardPage,
  type BoardPeriod,
  type BoardPlace,
  type BoardSort,
  type BoardUser,
  boardDays,
  NotRanked,
  type UserPnl,
  unknownBuilder,
} from "./model.ts"

export interface BoardQuery {
  readonly period: BoardPeriod
  readonly sort: BoardSort
  readonly limit: number
  readonly offset: number
  readonly behind: BoardPlace | undefined
}

interface Row extends Omit<UserPnl, "realized"> {
  readonly counted_block: number | null
  readonly counted_at: Date | null
  readonly pnl_version: number | null
  readonly pnl_block: number
  readonly pnl_at: Date
  readonly id: number | null
  readonly wallet: string
  readonly fills: number
  readonly usd: Usdc<bigint>
  readonly fees: Usdc<bigint>
  readonly first_at: number
  readonly last_at: number
  readonly place: bigint
  readonly realized: Usdc<bigint> | null
}

const userOf = (row: Row & { readonly id: number }): BoardUser => {
  const { realized, profit, unrealized, wins, losses, positions, open } = row
  return {
    id: row.id,
    wallet: row.wallet,
    fills: row.fills,
    usd: row.usd,
    fees: row.fees,
    firstAt: row.first_at,
    lastAt: row.last_at,
    pnl: realized === null ? undefined : { realized, profit, unrealized, wins, losses, positions, open },
  }
}

/** Blocks up to which the users of a period are counted. */
const countedBlocks = (sql: SqlClient, days: number): Fragment =>
  days === 0
    ? sql`select to_block as block from builder_progress where to_block >= from_block`
    : sql`select to_block as block from builder_window_progress where days = ${days}::smallint`

const inWindow = (sql: SqlClient, days: number, alias: string): Fragment =>
  days === 0 ? sql`true` : sql`${sql.literal(alias)}.days = ${days}::smallint`

/** Users of a builder by what they traded through it, or by what they gained: each by an index in that order. */
const ranked = (sql: SqlClient, builder: number, { period, sort, limit, offset, behind }: BoardQuery): Fragment => {
  const days = boardDays[period]
  const users = sql.literal(days === 0 ? "builder_user" : "builder_window")
  const column = sql.literal(sort === "volume" ? "r.usd" : sort === "realized_pnl" ? "r.realized" : "r.total")
  const isBehind =
    behind === undefined ? sql`true` : sql`(${column}, r.wallet) < (${behind.value}::int8, ${behind.wallet}::int)`
  const inOrder = sql`order by ${column} desc, r.wallet desc limit ${limit + 1} offset ${offset}`
  if (sort === "volume") {
    return sql`
      select r.wallet, r.usd, r.fees, r.fills, ${column} as place from ${users} r
      where ${sql.and([sql`r.builder = ${builder}`, inWindow(sql, days, "r"), isBehind])} ${inOrder}`
  }
  return sql`
    select r.wallet, u.usd, u.fees, u.fills, ${column} as place from builder_pnl r
    join ${users} u on ${sql.and([sql`u.builder = r.builder and u.wallet = r.wallet`, inWindow(sql, days, "u")])}
    where ${sql.and([sql`r.builder = ${builder} and r.days = ${days}::smallint`, isBehind])} ${inOrder}`
}

/** A page of a builder's users, and what it is as of, in one statement. */
export const readBoard = (sql: SqlClient, builder: number | null, query: BoardQuery) => {
  const days = boardDays[query.period]
  return Effect.flatMap(
    sql<Row>`
      with page as materialized (${ranked(sql, builder ?? unknownBuilder, query)})
      select c.block as counted_block, (
          select at from block where number <= c.block order by number desc limit 1) as counted_at,
        v.version as pnl_version, v.block as pnl_block, v.at as pnl_at,
        r.wallet as id, '0x' || encode(w.address, 'hex') as wallet, r.fills, r.usd, r.fees, r.place, u.first_at, u.last_at,
        g.realized, g.profit, g.unrealized, g.wins, g.losses, g.positions, g.open
      from (select) one
      left join (${countedBlocks(sql, days)}) c on true
      left join builder_pnl_state v on true
      left join page r on true
      left join wallet w on w.id = r.wallet
      left join builder_user u on u.builder = ${builder} and u.wallet = r.wallet
      left join builder_pnl g on g.builder = ${builder} and g.days = ${days}::smallint and g.wallet = r.wallet
      order by r.place desc, r.wallet desc`,
    (rows): Effect.Effect<BoardPage, NotRanked> => {
      const [head] = rows
      if (head === undefined || head.counted_block === null || head.counted_at === null)
        return Effect.fail(new NotRanked())
      const pnl =
        head.pnl_version === null ? undefined : { version: head.pnl_version, block: head.pnl_block, at: head.pnl_at }
      if (query.sort !== "volume" && pnl === undefined) return Effect.fail(new NotRanked())
      const found = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id }]))
      const shown = found.slice(0, query.limit)
      const last = found.length > query.limit ? shown.at(-1) : undefined
      return Effect.succeed({
        rows: shown.map(userOf),
        next: last && { value: last.place, wallet: last.id },
        counted: { block: head.counted_block, at: head.counted_at },
        pnl,
      })
    },
  )
}
