import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import type { Read } from "./MarketStore.ts"
import { type MarketRow, marketColumns, marketOf, type ShownMarket } from "./ShownMarket.ts"

export const tagMarketSorts = ["volume_all_time", "volume_24h", "liquidity"] as const
export type TagMarketSort = (typeof tagMarketSorts)[number]

/** A place in the ranking of a tag's markets: the largest value comes first, of equal ones the newest market. */
export interface RankedMarket {
  readonly value: bigint
  readonly id: number
}

const columns: Readonly<Record<TagMarketSort, string>> = {
  volume_all_time: "volume",
  volume_24h: "volume_day",
  liquidity: "liquidity",
}

/** The best markets of a tag, behind a place. Reads all markets of the tag. */
export const rankMarkets = (
  sql: SqlClient,
  tag: string,
  sort: TagMarketSort,
  behind: RankedMarket | undefined,
  most: number,
) => {
  const value = sql`coalesce(m.${sql(columns[sort])}, 0)`
  return sql<RankedMarket>`
    select ${value} as value, m.id from event e join market m on m.event = e.id
    where e.tags @> ${JSON.stringify([tag])}::jsonb
      and ${behind === undefined ? sql`true` : sql`(${value}, m.id) < (${behind.value}::int8, ${behind.id}::int)`}
    order by 1 desc, 2 desc limit ${most}`
}

/** Markets by the venue's ids, in this order. */
export const readMarkets = (sql: SqlClient, ids: ReadonlyArray<number>) =>
  Effect.map(
    sql<AsOfRow & MarketRow & { readonly place: number | null }>`
      select head.*, n.place::int as place, ${sql.literal(marketColumns)}
      from (${sql.literal(asOfSql)}) head
      left join unnest(${pgArray("int4", ids)}) with ordinality n(id, place) on true
      left join market m on m.id = n.id
      left join lateral (select m.condition) t on true
      left join condition c on c.id = t.condition
      left join resolution r on r.condition = t.condition
      left join event e on e.id = m.event
      order by n.place`,
    (rows): Read<ReadonlyArray<ShownMarket>> => ({
      found: rows.flatMap((row) => (row.place === null ? [] : [marketOf(row)])),
      asOf: asOfIn(rows[0]),
    }),
  )
