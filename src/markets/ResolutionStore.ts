import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { transactionSql } from "#src/dictionary/factSql.ts"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import type { Read } from "./MarketStore.ts"
import { type MarketRow, marketColumns, marketJoins, marketOf, type ShownMarket } from "./ShownMarket.ts"

/** Where a resolution stands in the chain. */
export interface ResolutionPlace {
  readonly block: number
  readonly logIndex: number
  readonly sub: number
}

export interface ListedResolution extends ResolutionPlace {
  readonly tx: string
  readonly market: ShownMarket
}

export interface ResolutionQuery {
  readonly condition: string | undefined
  /** Unix seconds: from this one on, and before that one. */
  readonly after: number | undefined
  readonly before: number | undefined
  readonly order: "asc" | "desc"
  readonly limit: number
  readonly offset: number
  readonly behind: ResolutionPlace | undefined
}

interface Row extends AsOfRow, MarketRow {
  readonly block: number | null
  readonly log_index: number
  readonly sub: number
  readonly tx: string
}

/** Blocks are in order of time, so that the primary key finds a time. */
const conditionsOf = (sql: SqlClient, { condition, after, before, order, behind }: ResolutionQuery) => {
  const firstFrom = (second: number) =>
    sql`(select number from block where at >= to_timestamp(${second}) order by at, number limit 1)`
  const beyond = sql.literal(order === "desc" ? "<" : ">")
  return [
    sql`true`,
    ...(condition === undefined
      ? []
      : [sql`r.condition = (select id from condition where hash = ${bytesOfCondition(condition)})`]),
    ...(after === undefined ? [] : [sql`r.block >= ${firstFrom(after)}`]),
    ...(before === undefined ? [] : [sql`r.block < coalesce(${firstFrom(before)}, 2147483647)`]),
    ...(behind === undefined
      ? []
      : [
          sql`(r.block, r.log_index, r.sub) ${beyond} (${behind.block}::int, ${behind.logIndex}::int, ${behind.sub}::int)`,
        ]),
  ]
}

/** A page of resolutions and one more, if there is one. */
export const readResolutions = (sql: SqlClient, query: ResolutionQuery) => {
  const towards = sql.literal(query.order)
  const inOrder = (alias: string) => {
    const r = sql.literal(alias)
    return sql`order by ${r}.block ${towards}, ${r}.log_index ${towards}, ${r}.sub ${towards}`
  }
  return Effect.map(
    sql<Row>`
      with page as materialized (
        select r.block, r.log_index, r.sub, r.condition from resolution r
        where ${sql.and(conditionsOf(sql, query))} ${inOrder("r")} offset ${query.offset} limit ${query.limit + 1})
      select head.*, t.block, t.log_index, t.sub, encode(${sql.literal(transactionSql("t"))}, 'hex') as tx,
        ${sql.literal(marketColumns)}
      from (${sql.literal(asOfSql)}) head left join page t on true ${sql.literal(marketJoins)} ${inOrder("t")}`,
    (rows): Read<ReadonlyArray<ListedResolution>> => ({
      found: rows.flatMap((row) =>
        row.block === null
          ? []
          : [{ block: row.block, logIndex: row.log_index, sub: row.sub, tx: `0x${row.tx}`, market: marketOf(row) }],
      ),
      asOf: asOfIn(rows[0]),
    }),
  )
}
