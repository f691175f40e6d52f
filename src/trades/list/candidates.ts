import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { isOfOrderSql } from "#src/dictionary/factSql.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { tokenTradesSql } from "../tokenTrades.ts"
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

/** Whether a list has the trades of one token. A trade that mints or merges pairs is one of either outcome. */
const isOfToken = (filter: TradeFilter) => filter.tokenId !== undefined && isOncePerTrade(filter)

/** The table of the fills that a list may have. */
export const fillsFor = (sql: SqlClient, filter: TradeFilter): Fragment =>
  sql.literal(isOfToken(filter) ? tokenTradesSql : "fill")

/** Conditions that an index answers, or that cut its range. */
const indexedConditions = (sql: SqlClient, f: Fragment, { after, before }: TradeFilter, ids: FilterIds) => [
  ...(ids.wallet === undefined ? [] : [sql`${f}.maker = ${ids.wallet}`]),
  ...(ids.builder === undefined ? [] : [sql`${f}.builder = ${ids.builder}`]),
  ...(after === undefined ? [] : [sql`${f}.at >= ${after}`]),
  ...(before === undefined ? [] : [sql`${f}.at < ${before}`]),
]

/** A scalar subquery, because Postgres would collect all tokens of a category first. */
const isOfEvents = (sql: SqlClient, f: Fragment, ofEvent: Fragment): Fragment =>
  sql`(select ${ofEvent} from token t join event e on e.id = t.event where t.id = ${f}.token)`

/** Conditions that every fill is examined for. */
const examinedConditions = (sql: SqlClient, f: Fragment, filter: TradeFilter) => {
  const { side, role, minUsd, minShares, category, tagSlug } = filter
  return [
    ...((isOncePerTrade(filter) && !isOfToken(filter)) || role === "maker" ? [sql`${f}.taker <> 0`] : []),
    ...(role === "taker" ? [sql`${f}.taker = 0`] : []),
    ...(side === undefined ? [] : [side === "sell" ? sql`${f}.is_sale` : sql`not ${f}.is_sale`]),
    ...(minUsd === undefined ? [] : [sql`${f}.usd >= ${minUsd}`]),
    ...(minShares === undefined ? [] : [sql`${f}.shares >= ${minShares}`]),
    ...(category === undefined ? [] : [isOfEvents(sql, f, sql`e.category = ${category}`)]),
    ...(tagSlug === undefined ? [] : [isOfEvents(sql, f, sql`e.tags ? ${tagSlug}`)]),
  ]
}

/** All conditions on a fill, except which order and token it is of and where the page begins. */
export const fillConditions = (
  sql: SqlClient,
  alias: string,
  filter: TradeFilter,
  ids: FilterIds,
): ReadonlyArray<Fragment> => {
  const f = sql.literal(alias)
  return [...indexedConditions(sql, f, filter, ids), ...examinedConditions(sql, f, filter)]
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
  select true from ${fillsFor(sql, filter)} g where ${sql.and([
    sql.literal(isOfOrderSql("g", "f.order_hash")),
    sql`(g.block, g.log_index) ${sql.literal(order === "desc" ? ">" : "<")} (f.block, f.log_index)`,
    ...fillConditions(sql, "g", filter, ids),
  ])} limit 1) is null`

/** Blocks of a time range, so that the index by block finds its ends. */
const withinBlocks = (
  sql: SqlClient,
  { filter: { after, before }, order, behind }: TradeQuery,
): ReadonlyArray<Fragment> => {
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  // By the index on times; for min() and max() Postgres may walk all blocks instead.
  const block = (at: Fragment, towards: "asc" | "desc") => {
    const order = sql.literal(towards)
    return sql`(select b.number from block b where b.at ${at} order by b.at ${order}, b.number ${order} limit 1)`
  }
  return [
    ...(after === undefined ? [] : [sql`f.block >= ${block(sql`>= to_timestamp(${after})`, "asc")}`]),
    ...(before === undefined ? [] : [sql`f.block <= ${block(sql`< to_timestamp(${before})`, "desc")}`]),
    ...(behind === undefined ? [] : [sql`f.block ${beyond}= ${behind.block}`]),
  ]
}

export interface ScanLimits {
  /** Fills that one page of a wallet, a builder or everybody examines, however few of them match. */
  readonly examined: number
  /** Fills that are sorted by something else than time. */
  readonly sorted: number
}
export const scanLimits: ScanLimits = { examined: 50_000, sorted: 20_000 }

const chainOrder = (sql: SqlClient, { order }: TradeQuery) => {
  const towards = sql.literal(order)
  return sql`order by f.at ${towards}, f.block ${towards}, f.log_index ${towards}`
}

const isOfOne = ({ wallet, builder }: FilterIds) => wallet !== undefined || builder !== undefined

/** The order of the chain as the index has it that finds the fills which a page examines. */
const examinedOrder = (sql: SqlClient, query: TradeQuery, ids: FilterIds) => {
  if (isOfOne(ids)) return chainOrder(sql, query)
  const towards = sql.literal(query.order)
  return sql`order by f.block ${towards}, f.log_index ${towards}`
}

/** The fills that a page examines, in order; undefined if an index finds those that match. */
export const examined = (sql: SqlClient, query: TradeQuery, ids: FilterIds, most: number): Fragment | undefined => {
  if (query.filter.orderHash !== undefined || (ids.tokens !== undefined && !isOfOne(ids))) return undefined
  const conditions = [
    sql`true`,
    ...indexedConditions(sql, sql.literal("f"), query.filter, ids),
    ...isBehind(sql, query),
    ...(ids.tokens === undefined ? [] : [sql`f.token = any(${pgArray("int4", ids.tokens)})`]),
  ]
  const ofBlocks = isOfOne(ids) ? [] : withinBlocks(sql, query)
  return sql`
    select f.* from fill f where ${sql.and([...conditions, ...ofBlocks])} ${examinedOrder(sql, query, ids)} limit ${most}`
}

/** Fills of some tokens or of an order, by the index that finds them; `inOrder` sorts and limits them. */
const found = (
  sql: SqlClient,
  { filter }: TradeQuery,
  ids: FilterIds,
  matching: ReadonlyArray<Fragment>,
  inOrder: Fragment,
) => {
  const tokens = sql`${pgArray("int4", ids.tokens ?? [])}`
  if (filter.orderHash !== undefined) {
    const isOfOrder = sql.literal(isOfOrderSql("f", "asked.order_hash"))
    const isOfTokens = ids.tokens === undefined ? [] : [sql`f.token = any(${tokens})`]
    return sql`
      select f.* from (select ${hashBytes(filter.orderHash)}::bytea as order_hash) asked
      join fill f on ${sql.and([isOfOrder, ...matching, ...isOfTokens])} ${inOrder}`
  }
  return sql`
    select f.* from unnest(${tokens}) u(token) cross join lateral (
      select * from ${fillsFor(sql, filter)} f where ${sql.and([sql`f.token = u.token`, ...matching])} ${inOrder}) f ${inOrder}`
}

/** The fills of a page by time, in order. */
export const candidates = (sql: SqlClient, query: TradeQuery, ids: FilterIds, most: number): Fragment => {
  const page = sql`limit ${query.offset + query.limit + 1}`
  const f = sql.literal("f")
  const { filter, byOrder } = query
  const matching = [
    sql`true`,
    ...examinedConditions(sql, f, filter),
    ...(byOrder ? [isFirstOfOrder(sql, query, ids)] : []),
  ]
  const scanned = examined(sql, query, ids, most)
  // In the same order, so that Postgres stops when the page is full.
  if (scanned !== undefined)
    return sql`select f.* from (${scanned}) f where ${sql.and(matching)} ${examinedOrder(sql, query, ids)} ${page}`
  return found(
    sql,
    query,
    ids,
    [...indexedConditions(sql, f, filter, ids), ...isBehind(sql, query), ...matching],
    sql`${chainOrder(sql, query)} ${page}`,
  )
}

/** The fills that a page that is not by time sorts: all that match, and one more than it may if there are too many. */
export const sortable = (sql: SqlClient, query: TradeQuery, ids: FilterIds, most: number): Fragment => {
  const whole = { ...query, behind: undefined }
  const f = sql.literal("f")
  const examinedFirst = examined(sql, whole, ids, most + 1)
  if (examinedFirst !== undefined) return examinedFirst
  const matching = [sql`true`, ...indexedConditions(sql, f, query.filter, ids)]
  return found(sql, whole, ids, matching, sql`limit ${most + 1}`)
}

const sortColumns = { timestamp: "at", amount_usd: "usd", size: "shares" } as const

/** The column of a fill that a list is sorted by. */
export const sortColumn = (sql: SqlClient, { sortBy }: TradeQuery): Fragment => sql.literal(`f.${sortColumns[sortBy]}`)

/** The fills `f` of `sortable` that a page not by time has. */
export const isOnSortedPage = (sql: SqlClient, query: TradeQuery): Fragment => {
  const { filter, order, behind } = query
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  return sql.and([
    sql`true`,
    ...examinedConditions(sql, sql.literal("f"), filter),
    ...(behind === undefined
      ? []
      : [
          sql`(${sortColumn(sql, query)}, f.block, f.log_index) ${beyond} (${behind.value}::int8, ${behind.block}::int, ${behind.logIndex}::int)`,
        ]),
  ])
}
