import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { worthSql } from "#src/positions/price.ts"
import { added, names } from "./count.ts"
import { price } from "./prices.ts"

/**
 * All sums from all positions. Most tokens share their scopes with many others, so that wallets are summed up by sets of
 * scopes first, and only those sums are taken once for each scope.
 */
export const rebuild = Effect.fnUntraced(function* (sql: SqlClient) {
  for (const table of ["standing", "price", "repriced", "retracted_position"]) {
    yield* sql`delete from ${sql(`leaderboard_${table}`)}`
  }
  yield* price(
    sql,
    sql`
      select t.id from token t where exists (select 1 from position p where p.token = t.id and p.shares > 0)
      and not exists (select 1 from resolution r where r.condition = t.condition)`,
  )
  yield* sql`
    insert into leaderboard_standing (scope, wallet, ${sql.literal(names)})
    with scoped as materialized (
      select t.id as token, lp.price, dense_rank() over (order by s.scopes) as set, s.scopes
      from token t
      left join resolution r on r.condition = t.condition
      left join leaderboard_price lp on lp.token = t.id and r.condition is null
      left join (
        select token, array_agg(scope order by scope) as scopes from leaderboard_token group by token) s on s.token = t.id),
    summed as (
      select p.wallet, s.set, sum(p.realized)::int8 as realized, sum(p.profit)::int8 as profit,
        sum(p.wins)::int as wins, sum(p.losses)::int as losses, count(*)::int as positions,
        (count(*) filter (where p.shares > 0 and s.price is not null))::int as open, sum(p.volume)::int8 as volume,
        coalesce(sum(${sql.literal(worthSql("p.shares", "s.price"))} - p.cost)
          filter (where p.shares > 0 and s.price is not null), 0)::int8 as unrealized
      from position p join scoped s on s.token = p.token
      group by p.wallet, s.set)
    select x.scope, c.wallet, ${sql.literal(added)}
    from summed c
    join (select distinct set, array_prepend(0, scopes) as scopes from scoped) s on s.set = c.set
    cross join lateral unnest(s.scopes) x(scope)
    group by x.scope, c.wallet
    order by x.scope, c.wallet`
})
