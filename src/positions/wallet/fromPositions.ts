import { Effect } from "effect"
import type { Postgres } from "#src/platform/sql/Postgres.ts"
import { positionConditions, tokenConditions } from "../PositionFilter.ts"
import { isOpenSql, openTokenJoin, selectShown, tokenJoin, unrealizedSql } from "../positionSql.ts"
import type { OpenPrices } from "../sums/openPrices.ts"
import {
  type BoardRow,
  blocksOf,
  type FoundPage,
  pageIn,
  pageOf,
  paidTo,
  type WalletQuery,
  type WalletRow,
} from "./model.ts"

/** Reads all matching positions for the totals. */
export const fromPositions =
  ({ sql }: Pick<Postgres["Service"], "sql">) =>
  (query: WalletQuery, prices: OpenPrices) => {
    const { wallet, filter, limit } = query
    const { isBehind, inOrder, shownInOrder } = pageOf(sql, query)
    const ofToken = tokenConditions(sql, filter)
    const conditions = [sql`p.wallet = ${wallet}`, ...ofToken, ...positionConditions(sql, filter)]
    const needsOpenOnly = ofToken.length === 0 && filter.status !== "redeemable"
    return Effect.map(
      sql<WalletRow & BoardRow>`
        with ${prices.tables(sql)} matching as materialized (
          select p.wallet, p.token, p.realized, ${sql.literal(isOpenSql)} as open,
            ${sql.literal(unrealizedSql("price.value"))} as unrealized
          from position p
          ${sql.literal(needsOpenOnly ? openTokenJoin : tokenJoin)}
          ${sql.literal(prices.join(isOpenSql))}
          where ${sql.and(conditions)}),
        page as materialized (select p.wallet, p.token from matching p where ${isBehind} ${inOrder})
        ${selectShown(
          sql,
          sql`
            select ${sql.literal(prices.counted)} as counted, (select block from chain_cursor) as as_of_block,
              count(matching.wallet)::int as positions, count(*) filter (where open)::int as open,
              coalesce(sum(realized), 0)::int8 as total_realized, coalesce(sum(unrealized), 0)::int8 as total_unrealized,
              count(*) filter (where realized + unrealized <> 0)::int as with_pnl, payments.rewards, payments.rebates
            from (${paidTo(sql, wallet)}) payments left join matching on true
            group by payments.rewards, payments.rebates`,
          prices,
        )}
        ${shownInOrder}`,
      (rows): FoundPage => ({ ...blocksOf(rows), page: pageIn(rows, limit) }),
    )
  }
