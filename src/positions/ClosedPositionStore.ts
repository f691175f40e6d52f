import { Effect } from "effect"
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
    const named = sortBy === "TITLE" || title !== undefined ? "left join condition c on c.id = t.condition" : ""
    const conditions = [
      sql`p.wallet = ${wallet} and not ${sql.literal(isOpenSql)}`,
      ...(market === undefined ? [] : [sql`t.condition in (select condition from market where slug = ${market})`]),
      ...(title === undefined ? [] : [sql`strpos(lower(${sql.literal(titleSql)}), lower(${title})) > 0`]),
    ]
    const [sort, towards] = [sql.literal(sortSql[sortBy]), sql.literal(direction)]
    return Effect.map(
      sql<ShownRow>`
        with page as materialized (
          select p.wallet, p.token, ${sort} as sort
          from position p
          ${sql.literal(needsOpenOnly ? openTokenJoin : tokenJoin)}
          ${sql.literal(named)}
          where ${sql.and(conditions)}
          order by sort ${towards}, p.token
          limit ${limit} offset ${BigInt(offset)})
        ${selectShown(sql, sql`select true`)}
        where page.token is not null
        order by page.sort ${towards}, page.token`,
      (rows) => rows.map(shownOf),
    )
  }
