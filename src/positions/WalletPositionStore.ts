import { Effect } from "effect"
import { openPriceSql } from "#src/ledger/positions/price.ts"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { type MakerPayments, noPayments, paymentSums } from "./PaymentStore.ts"
import { type PositionFilter, positionConditions, tokenConditions } from "./PositionFilter.ts"
import {
  isOpenSql,
  openTokenJoin,
  type ShownPosition,
  type ShownRow,
  selectShown,
  shownOf,
  tokenJoin,
  unrealizedSql,
} from "./ShownPosition.ts"

export interface WalletQuery {
  readonly wallet: number
  readonly filter: PositionFilter
  readonly limit: number
  readonly offset: number
  readonly order: "asc" | "desc"
  /** Token of the last position of the page before. */
  readonly after: number | undefined
}

export interface WalletPage {
  /** Totals over all matching positions, on this page or not. */
  readonly totals: {
    readonly positions: number
    readonly open: number
    readonly realized: bigint
    readonly unrealized: bigint
    readonly withPnl: number
    /** Of the wallet, whatever matches. */
    readonly payments: MakerPayments
  }
  readonly shown: ReadonlyArray<ShownPosition>
  readonly hasMore: boolean
}

interface Totals extends MakerPayments {
  readonly positions: number
  readonly open: number
  readonly total_realized: bigint
  readonly total_unrealized: bigint
  readonly with_pnl: number
}

// A price needs a query on trades, so it is read only where it matters; and once, which `offset 0` ensures.
const openPriceJoin = `
  left join lateral (select case when ${isOpenSql} then ${openPriceSql("t")} end as value offset 0) price on true`

/**
 * The positions of a wallet in the order in which the ledger first saw their tokens, which never changes, and totals over
 * all of them, from one snapshot.
 */
export const walletPositionStore =
  ({ sql }: Postgres["Service"]) =>
  ({ wallet, filter, limit, offset, order, after }: WalletQuery) => {
    const ofToken = tokenConditions(sql, filter)
    const conditions = [sql`p.wallet = ${wallet}`, ...ofToken, ...positionConditions(sql, filter)]
    const needsOpenOnly = ofToken.length === 0 && filter.status !== "redeemable"
    const [towards, beyond] = [sql.literal(order), sql.literal(order === "asc" ? ">" : "<")]
    const behind = after === undefined ? sql`true` : sql`token ${beyond} ${after}::int`
    return Effect.map(
      sql<Totals & (ShownRow | { readonly token_id: null })>`
        with matching as materialized (
          select p.wallet, p.token, p.realized, ${sql.literal(isOpenSql)} as open,
            ${sql.literal(unrealizedSql("price.value"))} as unrealized
          from position p
          ${sql.literal(needsOpenOnly ? openTokenJoin : tokenJoin)}
          ${sql.literal(openPriceJoin)}
          where ${sql.and(conditions)}),
        page as materialized (
          select wallet, token from matching where ${behind}
          order by token ${towards} limit ${limit + 1} offset ${BigInt(offset)})
        ${selectShown(
          sql,
          sql`
            select count(matching.wallet)::int as positions, count(*) filter (where open)::int as open,
              coalesce(sum(realized), 0)::int8 as total_realized, coalesce(sum(unrealized), 0)::int8 as total_unrealized,
              count(*) filter (where realized + unrealized <> 0)::int as with_pnl, payments.rewards, payments.rebates
            from (select ${sql.literal(paymentSums)} from maker_payment where wallet = ${wallet}) payments
            left join matching on true
            group by payments.rewards, payments.rebates`,
        )}
        order by page.token ${towards}`,
      (rows): WalletPage => {
        const { positions = 0, open = 0, total_realized = 0n, total_unrealized = 0n, with_pnl = 0 } = rows[0] ?? {}
        const { rewards, rebates } = rows[0] ?? noPayments
        const found = rows.flatMap((row) => (row.token_id === null ? [] : [shownOf(row)]))
        return {
          totals: {
            positions,
            open,
            realized: total_realized,
            unrealized: total_unrealized,
            withPnl: with_pnl,
            payments: { rewards, rebates },
          },
          shown: found.slice(0, limit),
          hasMore: found.length > limit,
        }
      },
    )
  }
