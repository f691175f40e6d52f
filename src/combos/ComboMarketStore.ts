import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { comboCode } from "#src/domain/ComboKind.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { tradesSql } from "#src/rollups/tradesSql.ts"
import type { ListedCombo } from "./model.ts"

export const marketStatuses = ["all", "open", "resolved"] as const
export type MarketStatus = (typeof marketStatuses)[number]

export interface ComboMarketQuery {
  readonly condition: number | undefined
  readonly status: MarketStatus
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  readonly behind: MarketPlace | undefined
}

/** Where a combo was prepared. */
export interface MarketPlace {
  readonly block: number
  readonly logIndex: number
}

/** A combo with what happened to it. */
export interface ComboMarket extends MarketPlace {
  readonly condition: string
  readonly preparedAt: Date
  readonly tx: string
  /** By outcome, in proportion; null while it is open. */
  readonly payouts: ReadonlyArray<bigint> | null
  readonly resolvedAt: Date | null
  readonly executions: number
  /** Everything but executions and transfers. */
  readonly lifecycle: number
  readonly redemptions: number
  readonly transfers: number
  /** In 10⁻⁶ dollars. */
  readonly volume: bigint
  readonly lastAt: Date
  readonly combo: ListedCombo | undefined
}

export interface ComboMarketPage {
  readonly rows: ReadonlyArray<ComboMarket>
  readonly next: MarketPlace | undefined
  readonly asOf: AsOf | undefined
}

interface Row extends AsOfRow {
  readonly block: number | null
  readonly log_index: number
  readonly prepared_at: Date
  readonly tx: string
  readonly condition: string
  readonly payouts: ReadonlyArray<bigint> | null
  readonly resolved_at: Date | null
  readonly executions: number
  readonly lifecycle: number
  readonly redemptions: number
  readonly transfers: number
  readonly volume: bigint
  readonly last_at: Date | null
}

const conditionsOf = (
  sql: SqlClient,
  { condition, status, order, behind }: ComboMarketQuery,
): ReadonlyArray<Fragment> => {
  const isResolved = sql`exists (select from resolution r where r.condition = b.condition)`
  return [
    // A combo that was prepared again is listed once.
    sql`not exists (
      select from combo e where e.condition = b.condition and (e.block, e.log_index) < (b.block, b.log_index))`,
    ...(condition === undefined ? [] : [sql`b.condition = ${condition}`]),
    ...(status === "all" ? [] : [status === "open" ? sql`not ${isResolved}` : isResolved]),
    ...(behind === undefined
      ? []
      : [
          sql`(b.block, b.log_index) ${sql.literal(order === "desc" ? "<" : ">")} (${behind.block}::int, ${behind.logIndex}::int)`,
        ]),
  ]
}

const [execution, own, transferOut, transferIn, redeem] = (
  ["execution", "own_execution", "transfer_out", "transfer_in", "redeem"] as const
).map(comboCode)

/** Every match has one order that started it. */
const counts = `
  select (count(*) filter (where a.kind = ${own}))::int as executions,
    (count(*) filter (where a.kind not in (${execution}, ${own}, ${transferOut}, ${transferIn})))::int as lifecycle,
    (count(*) filter (where a.kind = ${redeem}))::int as redemptions,
    (count(*) filter (where a.kind = ${transferOut}))::int as transfers, max(a.at) as last_at
  from combo_act a where a.condition = b.condition`

/** Volume as rollups define it, with the blocks that they do not count yet. */
const volumeOf = (sql: SqlClient) => {
  const newest = sql`
    select f.* from fill f where f.block in (
      select a.block from combo_act a where a.condition = b.condition
        and a.kind in (${sql.literal(`${execution}, ${own}`)})
        and a.block > coalesce((select to_block from rollup_progress), 0))`
  return sql`
    select coalesce(sum(part.usd), 0)::int8 as volume from (
      select d.usd from token t join token_day d on d.token = t.id where t.condition = b.condition
      union all
      select x.usd from (${tradesSql(sql, newest)}) x join token t on t.id = x.token where t.condition = b.condition) part`
}

/** A page of combos in the order in which they were prepared. */
export const readComboMarkets = (sql: SqlClient, query: ComboMarketQuery) => {
  const towards = sql.literal(query.order)
  const { limit, offset } = query
  return Effect.map(
    sql<Row>`
      with page as materialized (
        select b.block, b.log_index, b.at, b.condition from combo b where ${sql.and(conditionsOf(sql, query))}
        order by b.block ${towards}, b.log_index ${towards} offset ${offset} limit ${limit + 1})
      select head.*, b.block, b.log_index, b.at as prepared_at, encode(${sql.literal(transactionSql("b"))}, 'hex') as tx,
        '0x' || encode(c.hash, 'hex') as condition, r.payouts, r.at as resolved_at, n.*, v.volume
      from (${sql.literal(asOfSql)}) head
      left join page b on true
      left join condition c on c.id = b.condition
      left join resolution r on r.condition = b.condition
      left join lateral (${sql.literal(counts)}) n on true
      left join lateral (${volumeOf(sql)}) v on true
      order by b.block ${towards}, b.log_index ${towards}`,
    (rows): ComboMarketPage => {
      const found = rows.flatMap(({ block, ...row }): ReadonlyArray<ComboMarket> => {
        if (block === null) return []
        return [
          {
            block,
            logIndex: row.log_index,
            condition: row.condition,
            preparedAt: row.prepared_at,
            tx: `0x${row.tx}`,
            payouts: row.payouts,
            resolvedAt: row.resolved_at,
            executions: row.executions,
            lifecycle: row.lifecycle,
            redemptions: row.redemptions,
            transfers: row.transfers,
            volume: row.volume,
            lastAt: row.last_at ?? row.prepared_at,
            combo: undefined,
          },
        ]
      })
      const shown = found.slice(0, limit)
      return { rows: shown, next: found.length > limit ? shown.at(-1) : undefined, asOf: asOfIn(rows[0]) }
    },
  )
}
