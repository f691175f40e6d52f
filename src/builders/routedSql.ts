import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { feeSql } from "#src/trades/feeSql.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { everyBuilder } from "./model.ts"

/** What counts of a fill `f`. Fees of orders without a builder are of no interest here and costly to look up. */
const columns = `
  f.builder, f.maker as wallet, f.at, f.at / 86400 as day, f.usd, f.is_sale, f.taker = 0 as is_taker,
  case when f.fee = 0 or f.builder = 0 then 0 else ${feeSql("f")} end as fee`

/** Fills of routed orders, each for its builder. */
export const routedSql = (sql: SqlClient, fills: Fragment): Fragment =>
  sql`select ${sql.literal(columns)} from (${fills}) f where f.builder <> 0`

/** All fills, each for its builder or none, and routed ones also for every builder together. */
export const attributedSql = (sql: SqlClient, fills: Fragment): Fragment => sql`
  with own as materialized (select ${sql.literal(columns)} from (${fills}) f)
  select * from own
  union all
  select ${sql.literal(String(everyBuilder))}, wallet, at, day, usd, is_sale, is_taker, fee from own where builder <> 0`

export const fillsIn = (sql: SqlClient, { from, to }: BlockRange): Fragment =>
  sql`select * from fill where block between ${from} and ${to}`

/** Names of the figures that are sums, in the order of the tables. */
export const sums = ["maker_buy", "maker_sell", "taker_buy", "taker_sell", "fees", "fills"] as const

const volume = (role: "maker" | "taker", side: "buy" | "sell") =>
  `total(case when ${role === "taker" ? "is_taker" : "not is_taker"} and ${side === "sell" ? "is_sale" : "not is_sale"} then usd else 0 end) as ${role}_${side}`

/** Figures of attributed fills, except users. */
export const figures = `
  ${volume("maker", "buy")}, ${volume("maker", "sell")}, ${volume("taker", "buy")}, ${volume("taker", "sell")},
  total(fee) as fees, count(*) as fills, min(at) as first_at, max(at) as last_at`

/** Adds figures up that have these names already. */
export const addedFigures = `
  ${sums.map((name) => `sum(${name})::int8 as ${name}`).join(", ")}, min(first_at) as first_at, max(last_at) as last_at`
