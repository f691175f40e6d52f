import { Effect } from "effect"
import { priceSql } from "#src/ledger/positions/price.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type PositionFilter, positionConditions, tokenConditions } from "./PositionFilter.ts"
import { isOpenSql, type ShownPosition, type ShownRow, selectShown, shownOf, unrealizedSql } from "./ShownPosition.ts"

export interface WalletQuery {
  readonly wallet: number
  readonly filter: PositionFilter
  readonly limit: number
  readonly offset: number
  readonly order: "asc" | "desc"
}

export interface WalletPage {
  /** Totals over all matching positions, on this page or not. */
  readonly totals: {
    readonly positions: number
    readonly open: number
    readonly realized: bigint
    readonly unrealized: bigint
    readonly withPnl: number
  }
  readonly shown: ReadonlyArray<ShownPosition>
}

interface Totals {
  readonly positions: number
  readonly open: number
  readonly total_realized: bigint
  readonly total_unrealized: bigint
  readonly with_pnl: number
}

// A price needs a query on trades, so it is read only where it matters.
const openPriceJoin = `left join lateral (select case when ${isOpenSql} then ${priceSql("t")} end as value) price on true`

/** The positions of a wallet, last changed first, and totals over all of them, from one snapshot. */
export const walletPositionStore =
  ({ sql }: Postgres["Service"]) =>
  ({ wallet, filter, limit, offset, order }: WalletQuery) => {
    const conditions = [sql`p.wallet = ${wallet}`, ...tokenConditions(sql, filter), ...positionConditions(sql, filter)]
    const towards = sql.literal(order)
    return Effect.map(
      sql<Totals & (ShownRow | { readonly token_id: null })>`
        with matching as materialized (
          select p.wallet, p.token, p.changed_at, p.realized, ${sql.literal(isOpenSql)} as open,
            ${sql.literal(unrealizedSql("price.value"))} as unrealized
          from position p
          join token t on t.id = p.token
          left join resolution r on r.condition = t.condition
          ${sql.literal(openPriceJoin)}
          where ${sql.and(conditions)}),
        page as materialized (
          select wallet, token, changed_at from matching
          order by changed_at ${towards}, token ${towards} limit ${limit} offset ${BigInt(offset)})
        ${selectShown(
          sql,
          sql`
            select count(*)::int as positions, count(*) filter (where open)::int as open,
              coalesce(sum(realized), 0)::int8 as total_realized, coalesce(sum(unrealized), 0)::int8 as total_unrealized,
              count(*) filter (where realized + unrealized <> 0)::int as with_pnl
            from matching`,
        )}
        order by page.changed_at ${towards}, page.token ${towards}`,
      (rows): WalletPage => {
        const { positions = 0, open = 0, total_realized = 0n, total_unrealized = 0n, with_pnl = 0 } = rows[0] ?? {}
        return {
          totals: { positions, open, realized: total_realized, unrealized: total_unrealized, withPnl: with_pnl },
          shown: rows.flatMap((row) => (row.token_id === null ? [] : [shownOf(row)])),
        }
      },
    )
  }
