import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { openPriceSql, payoutSql } from "#src/ledger/positions/price.ts"
import type { ShownStatus } from "../PositionFilter.ts"
import { averageSql, isOpenSql, openTokenJoin, tokenJoin, unrealizedSql, valueSql } from "../positionSql.ts"
import type { PositionSort } from "./model.ts"

const price = "price.value"

/** SQL for the value that a list is sorted by; of a position `p`, its token `t` and its `price`. All but times are int8. */
export const sortSql: Readonly<Record<PositionSort, string>> = {
  // Not the bare column: Postgres would walk the changes of all wallets, back to where one was last active.
  recent: "greatest(p.changed_at)",
  realized_pnl: "p.realized",
  unrealized_pnl: unrealizedSql(price),
  total_pnl: `(p.realized + ${unrealizedSql(price)})`,
  size: "p.shares",
  value: valueSql(price),
  total_bought: "p.bought",
  avg_price: `(case when p.partial then 0 else ${averageSql} end)::int8`,
}

/** SQL for such a value as a cursor has it: times are in milliseconds. */
export const placeSql = (sort: PositionSort, value: string): string =>
  sort === "recent" ? `(extract(epoch from ${value}) * 1000)::int8` : value

/** A cursor's value, to compare others with. */
export const boundOf = (sql: SqlClient, sort: PositionSort, value: bigint): Fragment =>
  sort === "recent" ? sql`${new Date(Number(value))}::timestamptz` : sql`${value}::int8`

/** Which positions need their token, from fewest to most. Tokens are spread over a large table. */
const tokenNeeds = ["none", "open", "held", "all"] as const
type TokenNeed = (typeof tokenNeeds)[number]

const tokenJoins: Readonly<Record<TokenNeed, string>> = {
  none: "",
  open: openTokenJoin,
  held: "left join token t on t.id = p.token and p.shares > 0",
  all: tokenJoin,
}

const neededBySort: Partial<Record<PositionSort, TokenNeed>> = {
  unrealized_pnl: "open",
  total_pnl: "open",
  value: "held",
}

const neededByStatus: Partial<Record<ShownStatus, TokenNeed>> = { open: "open", closed: "open", redeemable: "held" }

// A price needs a query on trades, so it is read only where it matters; and once, which `offset 0` ensures.
const priceJoin = `
  left join lateral (
    select case when ${isOpenSql} then ${openPriceSql("t")} else ${payoutSql("t")} end as value offset 0) price on true`

/** Joins what the sort, the status and conditions on tokens need of a position `p`. */
export const joinsOf = (sort: PositionSort, status: ShownStatus, hasTokenConditions: boolean): string => {
  const ofSort = neededBySort[sort]
  const needs = [ofSort ?? "none", neededByStatus[status] ?? "none", hasTokenConditions ? "all" : "none"] as const
  const most = tokenNeeds.findLast((need) => needs.includes(need)) ?? "none"
  return ofSort === undefined ? tokenJoins[most] : `${tokenJoins[most]} ${priceJoin}`
}
