import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { bytesOfToken } from "#src/domain/TokenId.ts"
import { type AsOfRow, asOfIn, asOfSql } from "#src/ledger/asOf.ts"
import { lastTradeSql, listedSql, payoutSql } from "#src/ledger/positions/price.ts"
import type { Read } from "./MarketStore.ts"
import { type MarketRow, marketColumns, marketJoins, marketOf, type ShownMarket } from "./ShownMarket.ts"

/** A price in 10⁻⁶ dollars, and since when it is known. */
export interface DatedPrice {
  readonly price: number
  readonly at: Date
}

/** A token, and the prices that Postgres knows. */
export interface StoredToken {
  readonly market: ShownMarket
  readonly outcomeIndex: number | null
  readonly isResolved: boolean
  readonly payout: DatedPrice | undefined
  readonly lastFill: DatedPrice | undefined
  readonly listed: DatedPrice | undefined
}

interface Row extends AsOfRow, MarketRow {
  readonly id: number | null
  readonly outcome: number | null
  readonly payout: number | null
  readonly filled: number | null
  readonly filled_at: number | null
  readonly listed: number | null
  readonly listed_at: Date | null
}

const dated = (price: number | null, at: Date | null): DatedPrice | undefined =>
  price === null || at === null ? undefined : { price, at }

const tokenOf = (row: Row): StoredToken => ({
  market: marketOf(row),
  outcomeIndex: row.outcome,
  isResolved: row.resolved_at !== null,
  payout: dated(row.payout, row.resolved_at),
  lastFill: dated(row.filled, row.filled_at === null ? null : new Date(row.filled_at * 1000)),
  listed: dated(row.listed, row.listed_at),
})

/** Undefined if neither the ledger nor the catalogue knows the token. */
export const readToken = (sql: SqlClient, token: string) =>
  Effect.map(
    sql<Row>`
      select head.*, t.id, t.outcome, ${sql.literal(payoutSql("t"))} as payout, ${sql.literal(lastTradeSql("t"))} as filled,
        (select f.at from fill f where f.token = t.id and f.shares > 0 order by f.at desc limit 1) as filled_at,
        ${sql.literal(listedSql("t"))} as listed,
        coalesce((select max(h.at) from market_history h where h.market = m.id), m.first_seen_at) as listed_at,
        ${sql.literal(marketColumns)}
      from (${sql.literal(asOfSql)}) head
      left join token t on t.hash = ${bytesOfToken(token)} ${sql.literal(marketJoins)}`,
    ([row]): Read<StoredToken | undefined> => ({
      found: row === undefined || row.id === null ? undefined : tokenOf(row),
      asOf: asOfIn(row),
    }),
  )
