import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { openPriceSql, worthSql } from "#src/positions/price.ts"
import { count, inScopes } from "./count.ts"

// Where nobody has named a price yet, a share is worth what splitting a dollar makes it.
const priceOf = (token: string) => `coalesce(${openPriceSql(token)}, 500000)`

/** Tokens that have no price yet get one. */
export const price = (sql: SqlClient, tokens: Fragment) => sql`
  insert into leaderboard_price (token, price)
  select t.id, ${sql.literal(priceOf("t"))} from token t
  where t.id in (${tokens}) and not exists (select 1 from leaderboard_price p where p.token = t.id)`

/** The prices of these tokens are looked at the next time. */
export const noteRepriced = (sql: SqlClient, tokens: Fragment) =>
  sql`insert into leaderboard_repriced (token) ${tokens} on conflict do nothing`

/** Values what is open of these tokens at the newest prices. What is counted is the ledger as it is. */
export const reprice = (sql: SqlClient) =>
  count(
    sql,
    inScopes(
      sql,
      sql`
        select p.wallet, p.token, 0 as realized, 0 as profit, 0 as wins, 0 as losses, 0 as positions, 0 as open,
          0 as volume, ${sql.literal(`${worthSql("p.shares", "m.price")} - ${worthSql("p.shares", "m.was")} as unrealized`)}
        from moved m
        join token t on t.id = m.token
        join position p on p.token = m.token
        where p.shares > 0 and not exists (select 1 from resolution r where r.condition = t.condition)`,
    ),
    sql`
      looked as (delete from leaderboard_repriced returning token),
      found as (
        select p.token, p.price as was, ${sql.literal(priceOf("t"))} as price
        from looked l join leaderboard_price p on p.token = l.token join token t on t.id = l.token),
      moved as (
        update leaderboard_price p set price = f.price from found f
        where p.token = f.token and p.price <> f.price
        returning p.token, f.was, f.price),`,
  )
