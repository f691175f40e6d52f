import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { lastTradeSql, listedSql, openPriceSql, payoutSql } from "#src/ledger/positions/price.ts"
import { lastTradeJoin } from "../positionSql.ts"

/**
 * Tables of a statement: `state` has the boards' block, and `moved` the tokens that may have been traded since, if the ledger
 * can restore all positions of the blocks since. `limit 1` tells Postgres that there is one state.
 */
export const boardTables = (sql: SqlClient): Fragment => sql`
  state as materialized (select block from leaderboard_state where not stale limit 1),
  moved as materialized (
    select token from leaderboard_retracted_position
    union select u.token from state s join position_undo u on u.block > s.block)`

/** Where prices of open tokens come from. */
export interface OpenPrices {
  /** Tables of the statement that prices are read from. */
  readonly tables: (sql: SqlClient) => Fragment
  /** The block that the boards count; null if there are none, or if they are not used. */
  readonly counted: string
  /**
   * A join of `price.value`, of the tokens `t` that are open according to the SQL condition. A price is read by several
   * subqueries, and only once thanks to `offset 0`.
   */
  readonly join: (isOpen: string) => string
  /** As `lastTradeJoin`. */
  readonly lastTrade: string
}

/** The newest trades, or the catalogue where there are none. Searching for trades of tokens without any takes longest. */
export const tradePrices: OpenPrices = {
  tables: (sql) => sql``,
  counted: "null::int",
  join: (isOpen) => `
    left join lateral (select case when ${isOpen} then ${openPriceSql("t")} end as value offset 0) price on true`,
  lastTrade: lastTradeJoin,
}

/** The same prices, from the boards where nothing happened since: they know which tokens have no trades. */
export const boardPrices: OpenPrices = {
  tables: (sql) => sql`${boardTables(sql)},`,
  counted: "(select block from state)",
  join: (isOpen) => `
    left join leaderboard_price kept on kept.token = t.id and ${isOpen}
    left join moved on moved.token = t.id
    left join lateral (
      select case
        when not ${isOpen} then null
        when kept.token is null or moved.token is not null then ${openPriceSql("t")}
        when kept.traded then kept.price
        else ${listedSql("t")} end as value
      offset 0) price on true`,
  lastTrade: `
    left join leaderboard_price kept on kept.token = t.id
    left join moved on moved.token = t.id
    left join lateral (
      select case
        when ${payoutSql("t")} is not null then null
        when kept.token is null or moved.token is not null then ${lastTradeSql("t")}
        when kept.traded then kept.price end as trade
      offset 0) last on true`,
}
