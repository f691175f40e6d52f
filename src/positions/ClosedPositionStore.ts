import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { priceSql } from "#src/ledger/positions/price.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import type { ClosedQuery, ClosedSort } from "./closedQuery.ts"
import { type Shortcut, type ShortcutBounds, shortcutBounds, shortcutFor, titleKeySql } from "./closedShortcuts.ts"
import { averageSql, closedAtSql, isOpenSql, openTokenJoin, selectShown, titleSql, tokenJoin } from "./positionSql.ts"
import { type ShownRow, shownOf } from "./ShownPosition.ts"

const sortSql: Readonly<Record<ClosedSort, string>> = {
  REALIZEDPNL: "p.realized",
  AVGPRICE: averageSql,
  PRICE: `coalesce(${priceSql("t")}, 0)`,
  TITLE: titleKeySql,
  TIMESTAMP: closedAtSql,
}

const conditionJoin = "left join condition c on c.id = t.condition"
const walkedJoin = "join walked t on t.id = p.token"

const isClosed = (sql: SqlClient) => sql`not ${sql.literal(isOpenSql)}`

/** The positions that a list may have: of a state, and of a query's market and title. */
const positionsIn = (sql: SqlClient, { wallet, market, title, sortBy }: ClosedQuery) => {
  const conditions = [
    sql`p.wallet = ${wallet}`,
    ...(market === undefined ? [] : [sql`t.condition in (select condition from market where slug = ${market})`]),
    ...(title === undefined ? [] : [sql`strpos(lower(${sql.literal(titleSql)}), lower(${title})) > 0`]),
  ]
  const needsTitle = title !== undefined || sortBy === "TITLE"
  const needsOpenOnly = (sortBy === "REALIZEDPNL" || sortBy === "AVGPRICE") && market === undefined && !needsTitle
  return (state: Fragment, join = needsOpenOnly ? openTokenJoin : tokenJoin) => sql`
    select p.wallet, p.token, ${sql.literal(sortSql[sortBy])} as sort
    from position p ${sql.literal(needsTitle ? `${join} ${conditionJoin}` : join)}
    where ${sql.and([...conditions, state])}`
}

const byShortcut = (sql: SqlClient, query: ClosedQuery, shortcut: Shortcut, bounds: ShortcutBounds) => {
  const { walk, where, isCertain, beside } = shortcut
  const { wallet, offset, limit } = query
  const positions = positionsIn(sql, query)
  const wanted = offset + limit
  const isEnough = sql`(select yes from is_enough)`
  return {
    before: sql`
      has_many as materialized (
        select count(*) = ${bounds.positions} as yes
        from (select from position where wallet = ${wallet} limit ${bounds.positions}) p),
      walked as materialized (
        select * from (${sql.literal(walk(wallet, bounds.walked(wanted)))}) w where (select yes from has_many)),
      -- The array is looked up in the wallet's index, where the join alone would read all positions of the wallet.
      nearest as materialized (
        ${positions(sql`p.token = any(array(select id from walked)) and ${isClosed(sql)} and ${sql.literal(where)}`, walkedJoin)}),
      is_enough as materialized (
        select count(*) >= ${wanted} as yes from nearest where ${sql.literal(isCertain)}),`,
    found: sql`
      select wallet, token, sort from nearest where ${isEnough}
      union all ${positions(sql`${isClosed(sql)} and ${sql.literal(beside)} and ${isEnough}`)}
      union all ${positions(sql`${isClosed(sql)} and not ${isEnough}`)}`,
  }
}

const foundBy = (sql: SqlClient, query: ClosedQuery, bounds: ShortcutBounds) => {
  const shortcut = shortcutFor(query, bounds)
  if (shortcut !== undefined) return byShortcut(sql, query, shortcut, bounds)
  return { before: sql``, found: positionsIn(sql, query)(isClosed(sql)) }
}

/** Closed positions. A wallet may have many, so they do not use the pool of short reads. */
export const closedPositionStore =
  ({ sql }: Postgres["Service"], bounds = shortcutBounds) =>
  (query: ClosedQuery) => {
    const towards = sql.literal(query.direction)
    const { before, found } = foundBy(sql, query, bounds)
    return Effect.map(
      sql<ShownRow | { readonly token_id: null }>`
        with ${before} page as materialized (
          select wallet, token, sort from (${found}) p
          order by sort ${towards}, token
          limit ${query.limit} offset ${BigInt(query.offset)})
        ${selectShown(sql, sql`select true`)}
        order by page.sort ${towards}, page.token`,
      (rows) => rows.flatMap((row) => (row.token_id === null ? [] : [shownOf(row)])),
    )
  }
