import { Effect } from "effect"
import type { Fragment } from "effect/unstable/sql/Statement"
import { priceSql } from "#src/ledger/positions/price.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
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

export const closedSorts = ["REALIZEDPNL", "AVGPRICE", "PRICE", "TITLE", "TIMESTAMP"] as const
export type ClosedSort = (typeof closedSorts)[number]

const sortSql: Readonly<Record<ClosedSort, string>> = {
  REALIZEDPNL: "p.realized",
  AVGPRICE: averageSql,
  PRICE: `coalesce(${priceSql("t")}, 0)`,
  // As the index on titles has it.
  TITLE: `coalesce(${titleSql}, '') collate "C"`,
  TIMESTAMP: closedAtSql,
}

const namedJoin = `${tokenJoin} join condition c on c.id = t.condition`

export interface ClosedQuery {
  readonly wallet: number
  readonly limit: number
  readonly offset: number
  readonly sortBy: ClosedSort
  readonly direction: "ASC" | "DESC"
  readonly market: string | undefined
  readonly title: string | undefined
}

/** Closed positions. A wallet may have many, so they do not use the pool of short reads. */
export const closedPositionStore =
  ({ sql }: Postgres["Service"]) =>
  ({ wallet, limit, offset, sortBy, direction, market, title }: ClosedQuery) => {
    const needsOpenOnly =
      (sortBy === "REALIZEDPNL" || sortBy === "AVGPRICE") && market === undefined && title === undefined
    const conditions = [
      sql`p.wallet = ${wallet} and not ${sql.literal(isOpenSql)}`,
      ...(market === undefined ? [] : [sql`t.condition in (select condition from market where slug = ${market})`]),
      ...(title === undefined ? [] : [sql`strpos(lower(${sql.literal(titleSql)}), lower(${title})) > 0`]),
    ]
    const towards = sql.literal(direction)
    const closed = (joins: string, more: Fragment = sql`true`, sort = sortSql[sortBy]) => sql`
      select p.wallet, p.token, ${sql.literal(sort)} as sort from position p ${sql.literal(joins)}
      where ${sql.and([...conditions, more])}`
    const first = sql`order by sort ${towards}, token limit ${BigInt(offset) + BigInt(limit)}`
    // Inner joins, so that Postgres may begin with the titles. What has no condition has no title.
    const byTitle =
      title === undefined
        ? sql`
          (${closed(namedJoin)} ${first}) union all
          (${closed(tokenJoin, sql`t.condition is null`, `'' collate "C"`)} ${first})`
        : closed(namedJoin)
    const named = title === undefined ? tokenJoin : namedJoin
    const found = sortBy === "TITLE" ? byTitle : closed(needsOpenOnly ? openTokenJoin : named)
    return Effect.map(
      sql<ShownRow>`
        with page as materialized (
          select * from (${found}) p
          order by sort ${towards}, token
          limit ${limit} offset ${BigInt(offset)})
        ${selectShown(sql, sql`select true`)}
        where page.token is not null
        order by page.sort ${towards}, page.token`,
      (rows) => rows.map(shownOf),
    )
  }
