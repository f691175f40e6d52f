import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { isOfOrderSql } from "#src/dictionary/factSql.ts"
import type { TradeFilter, TradeQuery } from "./model.ts"

/** The filter's names as ids of the ledger. */
export interface FilterIds {
  readonly wallet: number | undefined
  readonly builder: number | undefined
  /** Undefined if the filter names no market. */
  readonly tokens: ReadonlyArray<number> | undefined
}

export const hashBytes = (hash: string): Buffer => Buffer.from(hash.slice(2), "hex")

/** Every trade has two sides, so that a list that concerns neither shows it once: by the orders that it filled. */
const isOncePerTrade = ({ wallet, builder, orderHash, role }: TradeFilter) =>
  wallet === undefined && builder === undefined && orderHash === undefined && role === undefined

/** Conditions on a fill, except which order it belongs to and where the page begins. */
export const fillConditions = (
  sql: SqlClient,
  alias: string,
  filter: TradeFilter,
  ids: FilterIds,
): ReadonlyArray<Fragment> => {
  const { side, role, minUsd, minShares, after, before } = filter
  const f = sql.literal(alias)
  return [
    ...(ids.wallet === undefined ? [] : [sql`${f}.maker = ${ids.wallet}`]),
    ...(ids.builder === undefined ? [] : [sql`${f}.builder = ${ids.builder}`]),
    ...(isOncePerTrade(filter) || role === "maker" ? [sql`${f}.taker <> 0`] : []),
    ...(role === "taker" ? [sql`${f}.taker = 0`] : []),
    ...(side === undefined ? [] : [side === "sell" ? sql`${f}.is_sale` : sql`not ${f}.is_sale`]),
    ...(minUsd === undefined ? [] : [sql`${f}.usd >= ${minUsd}`]),
    ...(minShares === undefined ? [] : [sql`${f}.shares >= ${minShares}`]),
    ...(after === undefined ? [] : [sql`${f}.at >= ${after}`]),
    ...(before === undefined ? [] : [sql`${f}.at < ${before}`]),
  ]
}

/** The first condition lets an index find where the page begins. */
const isBehind = (sql: SqlClient, { order, behind }: TradeQuery): ReadonlyArray<Fragment> => {
  if (behind === undefined) return []
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  return [
    sql`f.at ${beyond}= ${behind.at}`,
    sql`(f.at ${beyond} ${behind.at} or (f.block, f.log_index) ${beyond} (${behind.block}::int, ${behind.logIndex}::int))`,
  ]
}

/**
 * Whether a fill is the first of its order in the list, which then stands for all of them. A scalar subquery, because
 * Postgres would answer `not exists` by reading the fills of all orders.
 */
const isFirstOfOrder = (sql: SqlClient, { filter, order }: TradeQuery, ids: FilterIds): Fragment => sql`(
  select true from fill g where ${sql.and([
    sql.literal(isOfOrderSql("g", "f.order_hash")),
    sql`(g.block, g.log_index) ${sql.literal(order === "desc" ? ">" : "<")} (f.block, f.log_index)`,
    ...fillConditions(sql, "g", filter, ids),
  ])} limit 1) is null`

const conditionsOf = (sql: SqlClient, query: TradeQuery, ids: FilterIds): ReadonlyArray<Fragment> => [
  ...fillConditions(sql, "f", query.filter, ids),
  ...isBehind(sql, query),
  ...(query.byOrder ? [isFirstOfOrder(sql, query, ids)] : []),
]

/** Blocks of a time range, so that the index by block finds its ends. */
const withinBlocks = (
  sql: SqlClient,
  { filter: { after, before }, order, behind }: TradeQuery,
): ReadonlyArray<Fragment> => {
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  const block = (end: "min" | "max", at: Fragment) =>
    sql`(select ${sql.literal(end)}(b.number) from block b where b.at ${at})`
  return [
    ...(after === undefined ? [] : [sql`f.block >= ${block("min", sql`>= to_timestamp(${after})`)}`]),
    ...(before === undefined ? [] : [sql`f.block <= ${block("max", sql`< to_timestamp(${before})`)}`]),
    ...(behind === undefined ? [] : [sql`f.block ${beyond}= ${behind.block}`]),
  ]
}

/**
 * The fills of a page, in order, by the index that finds them soonest: of a wallet, a builder or an order; of each token; or
 * by block.
 */
export const candidates = (sql: SqlClient, query: TradeQuery, ids: FilterIds): Fragment => {
  const towards = sql.literal(query.order)
  const most = query.offset + query.limit + 1
  const inOrder = sql`order by f.at ${towards}, f.block ${towards}, f.log_index ${towards} limit ${most}`
  const conditions = conditionsOf(sql, query, ids)
  const { orderHash } = query.filter
  const isOfTokens = ids.tokens === undefined ? [] : [sql`f.token = any(${ids.tokens}::int[])`]
  if (orderHash !== undefined) {
    return sql`
      select f.* from (select ${hashBytes(orderHash)}::bytea as order_hash) asked
      join fill f on ${sql.and([sql.literal(isOfOrderSql("f", "asked.order_hash")), ...conditions, ...isOfTokens])}
      ${inOrder}`
  }
  if (ids.wallet !== undefined || ids.builder !== undefined) {
    return sql`select f.* from fill f where ${sql.and([...conditions, ...isOfTokens])} ${inOrder}`
  }
  if (ids.tokens !== undefined) {
    return sql`
      select f.* from unnest(${ids.tokens}::int[]) u(token) cross join lateral (
        select * from fill f where ${sql.and([sql`f.token = u.token`, ...conditions])} ${inOrder}) f ${inOrder}`
  }
  return sql`
    select f.* from fill f where ${sql.and([...conditions, ...withinBlocks(sql, query)])}
    order by f.block ${towards}, f.log_index ${towards} limit ${most}`
}
