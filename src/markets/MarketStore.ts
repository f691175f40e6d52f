import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bytesOfCondition } from "#src/domain/ConditionId.ts"
import { type AsOf, type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { type MarketRow, marketColumns, marketJoins, marketOf, type ShownMarket } from "./ShownMarket.ts"

/** What was read, and the state of the ledger that it shows. */
export interface Read<A> {
  readonly found: A
  readonly asOf: AsOf | undefined
}

/** The market of a condition; undefined if neither the ledger nor the catalogue knows the condition. */
export const readMarket = (sql: SqlClient, condition: string) =>
  Effect.map(
    sql<AsOfRow & MarketRow>`
      select head.*, ${sql.literal(marketColumns)}
      from (${sql.literal(asOfSql)}) head
      left join (select id as condition from condition where hash = ${bytesOfCondition(condition)}) t on true
      ${sql.literal(marketJoins)}`,
    ([row]): Read<ShownMarket | undefined> => ({
      found: row === undefined || row.condition === null ? undefined : marketOf(row),
      asOf: asOfIn(row),
    }),
  )
