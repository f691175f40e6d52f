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

/** The market with a slug, the newest if several have it; undefined if the catalogue has none. */
export const readMarketBySlug = (sql: SqlClient, slug: string) =>
  Effect.map(
    sql<AsOfRow & MarketRow & { readonly id: number | null }>`
      select head.*, m.id, ${sql.literal(marketColumns)}
      from (${sql.literal(asOfSql)}) head
      left join lateral (select * from market m where m.slug = ${slug} order by m.id desc limit 1) m on true
      left join lateral (select m.condition) t on true
      left join condition c on c.id = t.condition
      left join resolution r on r.condition = t.condition
      left join event e on e.id = m.event`,
    ([row]): Read<ShownMarket | undefined> => ({
      found: row === undefined || row.id === null ? undefined : marketOf(row),
      asOf: asOfIn(row),
    }),
  )
