import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { exchangeAddress } from "#src/dictionary/exchangeCodes.ts"
import { isOfOrderSql, transactionSql } from "#src/dictionary/factSql.ts"
import type { Shares, Usdc } from "#src/domain/amounts.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { bytesOfWallet } from "#src/domain/Wallet.ts"
import { outcomeName } from "#src/feed/combos/comboNames.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { tokenConditions } from "#src/positions/PositionFilter.ts"
import { marketJoin, titleSql } from "#src/positions/positionSql.ts"
import { feeSql } from "../feeSql.ts"
import {
  candidates,
  examined,
  type FilterIds,
  fillConditions,
  fillsFor,
  hashBytes,
  isOnSortedPage,
  type ScanLimits,
  scanLimits,
  sortable,
  sortColumn,
} from "./candidates.ts"
import {
  type ListedTrade,
  type ListPlace,
  TooManyToSort,
  type TradeFilter,
  type TradePage,
  type TradeQuery,
  type TradeSort,
} from "./model.ts"

interface IdRow {
  readonly wallet: number | null
  readonly builder: number | null
  readonly tokens: ReadonlyArray<number> | null
}

/** Conditions on a token `t`. */
const conditionsOnToken = (sql: SqlClient, filter: TradeFilter): ReadonlyArray<Fragment> => {
  const { tokenId, conditionId, marketSlug, eventSlug, eventId } = filter
  return [
    ...tokenConditions(sql, { tokenId, conditionId, marketSlug, eventSlug }),
    ...(eventId === undefined ? [] : [sql`t.event = ${eventId}`]),
  ]
}

/** Finds the ids of the filter's names; `none` is an id that nothing has. */
export const findIds = (sql: SqlClient, filter: TradeFilter) => {
  const { wallet, builder } = filter
  const ofToken = conditionsOnToken(sql, filter)
  const none = -1
  if (wallet === undefined && builder === undefined && ofToken.length === 0)
    return Effect.succeed<FilterIds>({ wallet: undefined, builder: undefined, tokens: undefined })
  return Effect.map(
    sql<IdRow>`
      select
        ${wallet === undefined ? sql`null::int` : sql`(select id from wallet where address = ${bytesOfWallet(wallet)})`} as wallet,
        ${builder === undefined ? sql`null::int` : sql`(select id from builder where code = ${hashBytes(builder)})`} as builder,
        ${ofToken.length === 0 ? sql`null::int[]` : sql`array(select t.id from token t where ${sql.and(ofToken)})`} as tokens`,
    ([row]): FilterIds => ({
      wallet: wallet === undefined ? undefined : (row?.wallet ?? none),
      builder: builder === undefined ? undefined : (row?.builder ?? none),
      tokens: row?.tokens ?? undefined,
    }),
  )
}

interface Row {
  readonly block: number
  readonly log_index: number
  readonly at: number
  readonly tx: string
  readonly order_hash: string
  readonly maker: string
  readonly taker: string | null
  readonly exchange: number
  readonly is_sale: boolean
  readonly token: string
  readonly shares: Shares<bigint>
  readonly usd: Usdc<bigint>
  readonly fee: Usdc<bigint>
  readonly builder: string | null
  readonly condition: string | null
  readonly outcome: number | null
  readonly outcomes: ReadonlyArray<string> | null
  readonly title: string | null
  readonly slug: string | null
  readonly image: string | null
  readonly event_slug: string | null
  readonly event_id: number | null
  /** Null unless the list is by order; then the others are missing. */
  readonly fills: number | null
  readonly total_shares: Shares<bigint>
  readonly total_usd: Usdc<bigint>
  readonly total_fee: Usdc<bigint>
  readonly first_at: number
  readonly last_at: number
  readonly txs: ReadonlyArray<string>
}
type RowOrNone = AsOfRow & (Row | { readonly [K in keyof Row]: null })

const columns = `
  f.block, f.log_index, f.at, encode(${transactionSql("f")}, 'hex') as tx, encode(f.order_hash, 'hex') as order_hash,
  '0x' || encode(w.address, 'hex') as maker, '0x' || encode(k.address, 'hex') as taker, f.exchange, f.is_sale,
  encode(t.hash, 'hex') as token, f.shares, f.usd, ${feeSql("f")} as fee, '0x' || encode(b.code, 'hex') as builder,
  '0x' || encode(c.hash, 'hex') as condition, t.outcome, m.outcomes, ${titleSql} as title, m.slug, m.image,
  e.slug as event_slug, e.id as event_id`

const joins = `
  left join wallet w on w.id = f.maker
  left join wallet k on k.id = f.taker
  left join builder b on b.id = f.builder
  left join token t on t.id = f.token
  left join condition c on c.id = t.condition
  ${marketJoin}
  left join event e on e.id = m.event`

const noTotals = "select null::int as fills"

/** Sums the fills of an order `f` that the list has. */
const totalsOf = (sql: SqlClient, { filter }: TradeQuery, ids: FilterIds) => sql`
  select count(*)::int as fills, sum(g.shares)::int8 as total_shares, sum(g.usd)::int8 as total_usd,
    sum(${sql.literal(feeSql("g"))})::int8 as total_fee, min(g.at) as first_at, max(g.at) as last_at,
    array_agg(encode(${sql.literal(transactionSql("g"))}, 'hex') order by g.block, g.log_index) as txs
  from ${fillsFor(sql, filter)} g where ${sql.and([
    sql.literal(isOfOrderSql("g", "f.order_hash")),
    ...fillConditions(sql, "g", filter, ids),
  ])}`

const tradeOf = (row: Row): ListedTrade => ({
  at: row.at,
  block: row.block,
  logIndex: row.log_index,
  tx: `0x${row.tx}`,
  orderHash: `0x${row.order_hash}`,
  maker: row.maker,
  taker: row.taker ?? exchangeAddress(row.exchange),
  isSale: row.is_sale,
  startedMatch: row.taker === null,
  token: tokenOfHex(row.token),
  shares: row.shares,
  usd: row.usd,
  fee: row.fee,
  builder: row.builder,
  condition: row.condition,
  outcomeIndex: row.outcome,
  outcome: outcomeName(row.token, row.outcomes, row.outcome),
  title: row.title,
  slug: row.slug,
  image: row.image,
  eventSlug: row.event_slug,
  eventId: row.event_id,
  totals:
    row.fills === null
      ? undefined
      : {
          fills: row.fills,
          shares: row.total_shares,
          usd: row.total_usd,
          fee: row.total_fee,
          firstAt: row.first_at,
          lastAt: row.last_at,
          txs: [...new Set(row.txs.map((tx) => `0x${tx}`))],
        },
})

/** Where a page stops that has examined as many fills as it may; null if it has examined all. */
const edgeOf = (sql: SqlClient, query: TradeQuery, ids: FilterIds, most: number) => {
  const scanned = examined(sql, query, ids, most)
  return scanned === undefined
    ? sql.literal("null::int[]")
    : sql`
      case when (select count(*) from page) <= ${query.limit} then (
        select array[f.at, f.block, f.log_index] from (${scanned}) f offset ${most - 1} limit 1) end`
}

const sortedBy = (sortBy: TradeSort, { usd, shares }: ListedTrade): bigint =>
  ({ timestamp: 0n, amount_usd: usd, size: shares })[sortBy]

const placeOf = (sortBy: TradeSort, trade: ListedTrade | undefined): ListPlace | undefined =>
  trade && { at: trade.at, block: trade.block, logIndex: trade.logIndex, value: sortedBy(sortBy, trade) }

const placeAt = (edge: ReadonlyArray<number> | null | undefined): ListPlace | undefined => {
  const [at, block, logIndex] = edge ?? []
  return at === undefined || block === undefined || logIndex === undefined
    ? undefined
    : { at, block, logIndex, value: 0n }
}

type Found = RowOrNone & { readonly edge: ReadonlyArray<number> | null; readonly sorted: number | null }

/** A page of fills and the state of the ledger that it shows, in one statement. */
export const readPage = (sql: SqlClient, query: TradeQuery, ids: FilterIds, most: ScanLimits = scanLimits) => {
  const towards = sql.literal(query.order)
  const { limit, offset, sortBy } = query
  const inOrder = sql`order by ${sortColumn(sql, query)} ${towards}, f.block ${towards}, f.log_index ${towards}`
  const isByTime = sortBy === "timestamp"
  const pages = isByTime
    ? sql`page as materialized (select * from (${candidates(sql, query, ids, most.examined)}) f ${inOrder} offset ${offset} limit ${limit + 1})`
    : sql`
      sortable as materialized (${sortable(sql, query, ids, most.sorted)}),
      page as materialized (
        select * from sortable f where ${isOnSortedPage(sql, query)} ${inOrder} offset ${offset} limit ${limit + 1})`
  return Effect.flatMap(
    sql<Found>`
      with ${pages}
      select head.*, ${isByTime ? edgeOf(sql, query, ids, most.examined) : sql.literal("null::int[]")} as edge,
        ${sql.literal(isByTime ? "null::int" : "(select count(*)::int from sortable)")} as sorted,
        ${sql.literal(columns)}, totals.*
      from (${sql.literal(asOfSql)}) head left join page f on true ${sql.literal(joins)}
      left join lateral (${query.byOrder ? totalsOf(sql, query, ids) : sql.literal(noTotals)}) totals on true
      ${inOrder}`,
    (rows): Effect.Effect<TradePage, TooManyToSort> => {
      if ((rows[0]?.sorted ?? 0) > most.sorted) return Effect.fail(new TooManyToSort({ most: most.sorted }))
      const found = rows.flatMap((row) => (row.tx === null ? [] : [tradeOf(row)]))
      const trades = found.slice(0, limit)
      const next = found.length > limit ? placeOf(sortBy, trades.at(-1)) : placeAt(rows[0]?.edge)
      return Effect.succeed({ trades, next, asOf: asOfIn(rows[0]) })
    },
  )
}
