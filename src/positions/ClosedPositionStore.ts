import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { priceSql } from "#src/ledger/positions/price.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { ClosedQuery, ClosedSort } from "./closedQuery.ts"
import { type Shortcut, shortcutFor } from "./closedShortcuts.ts"
import {
  averageSql,
  closedAtSql,
  isOpenSql,
  openTokenJoin,
  type ShownRow,
  selectShown,
  shownOf,
  titleSql,
  tokenJoin,
} from "./ShownPosition.ts"

const sortSql: Readonly<Record<ClosedSort, string>> = {
  REALIZEDPNL: "p.realized",
  AVGPRICE: averageSql,
  PRICE: `coalesce(${priceSql("t")}, 0)`,
  // As the index on titles has it.
  TITLE: `coalesce(${titleSql}, '') collate "C"`,
  TIMESTAMP: closedAtSql,
}

const namedJoin = `${tokenJoin} join condition c on c.id = t.condition`

/** The positions that a list may have: of a state, and of a query's market and title. */
const positionsIn = (sql: SqlClient, { wallet, market, title, sortBy }: ClosedQuery) => {
  const conditions = [
    sql`p.wallet = ${wallet}`,
    ...(market === undefined ? [] : [sql`t.condition in (select condition from market where slug = ${market})`]),
    ...(title === undefined ? [] : [sql`strpos(lower(${sql.literal(titleSql)}), lower(${title})) > 0`]),
  ]
  const needsOpenOnly =
    (sortBy === "REALIZEDPNL" || sortBy === "AVGPRICE") && market === undefined && title === undefined
  const joins = title === undefined ? (needsOpenOnly ? openTokenJoin : tokenJoin) : namedJoin
  return (state: Fragment, join = joins, columns = `${sortSql[sortBy]} as sort`) => sql`
    select p.wallet, p.token, ${sql.literal(columns)} from position p ${sql.literal(join)}
    where ${sql.and([...conditions, state])}`
}

/** Inner joins, so that Postgres may begin with the titles. What has no condition has no title. */
const byTitle = (sql: SqlClient, query: ClosedQuery, isClosed: Fragment) => {
  const positions = positionsIn(sql, query)
  if (query.title !== undefined) return positions(isClosed)
  const { direction, offset, limit } = query
  const first = sql`order by sort ${sql.literal(direction)}, token limit ${BigInt(offset) + BigInt(limit)}`
  return sql`
    (${positions(isClosed, namedJoin)} ${first}) union all
    (${positions(sql`${isClosed} and t.condition is null`, tokenJoin, `'' collate "C" as sort`)} ${first})`
}

const byShortcut = (sql: SqlClient, query: ClosedQuery, isClosed: Fragment, shortcut: Shortcut) => {
  const { order, only, isCertain, factor, isWhole } = shortcut
  const positions = positionsIn(sql, query)
  const wanted = query.offset + query.limit
  const resolved = sql`${isClosed} and t.resolved_at is not null and ${sql.literal(only)}`
  const withTime = `${sortSql[query.sortBy]} as sort, t.resolved_at`
  return {
    before: sql`
      nearest as materialized (
        ${positions(resolved, undefined, withTime)}
        order by ${sql.literal(order)} limit ${factor * wanted}),
      is_enough as materialized (
        select count(*) filter (where ${sql.literal(isCertain)}) >= ${wanted}
          or (${isWhole} and count(*) < ${factor * wanted}) as yes from nearest),`,
    // The conditions of the second part are all that an index of open tokens has.
    found: sql`
      select wallet, token, sort from nearest where (select yes from is_enough)
      union all ${positions(sql`p.shares <= 0 and t.resolved_at is null and (select yes from is_enough)`)}
      union all ${positions(sql`${isClosed} and not (select yes from is_enough)`)}`,
  }
}

const foundBy = (sql: SqlClient, query: ClosedQuery) => {
  const isClosed = sql`not ${sql.literal(isOpenSql)}`
  const shortcut = shortcutFor(query)
  if (shortcut !== undefined) return byShortcut(sql, query, isClosed, shortcut)
  const found = query.sortBy === "TITLE" ? byTitle(sql, query, isClosed) : positionsIn(sql, query)(isClosed)
  return { before: sql``, found }
}

/** Closed positions. A wallet may have many, so they do not use the pool of short reads. */
export const closedPositionStore =
  ({ sql }: Postgres["Service"]) =>
  (query: ClosedQuery) => {
    const towards = sql.literal(query.direction)
    const { before, found } = foundBy(sql, query)
    return Effect.map(
      sql<ShownRow>`
        with ${before} page as materialized (
          select wallet, token, sort from (${found}) p
          order by sort ${towards}, token
          limit ${query.limit} offset ${BigInt(query.offset)})
        ${selectShown(sql, sql`select true`)}
        where page.token is not null
        order by page.sort ${towards}, page.token`,
      (rows) => rows.map(shownOf),
    )
  }
