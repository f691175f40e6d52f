import { Effect } from "effect"
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

/** Some of the tokens that everybody holds would take longer than a refresh may. */
const holdingsAtOnce = 5_000

/** Values what is open of some of those tokens at the newest prices; what is counted is the ledger as it is. Whether all are done. */
export const reprice = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* count(
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
      listed as (
        select r.token, sum(h.holders) over (order by random() rows unbounded preceding) - h.holders as before
        from leaderboard_repriced r
        cross join lateral (select count(*) as holders from position p where p.token = r.token) h),
      looked as (
        delete from leaderboard_repriced r using listed l
        where r.token = l.token and l.before < ${holdingsAtOnce} returning r.token),
      found as materialized (
        select p.token, p.price as was, ${sql.literal(priceOf("t"))} as price
        from looked l join leaderboard_price p on p.token = l.token join token t on t.id = l.token),
      moved as (
        update leaderboard_price p set price = f.price from found f
        where p.token = f.token and p.price <> f.price
        returning p.token, f.was, f.price),`,
  )
  const left = yield* sql`select 1 from leaderboard_repriced limit 1`
  return left.length === 0
})
