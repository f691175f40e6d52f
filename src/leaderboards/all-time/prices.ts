import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { lastTradeSql, listedSql } from "#src/ledger/positions/price.ts"

/** Sets the newest prices of tokens; null if nobody traded or listed one. */
export const price = (sql: SqlClient, tokens: Fragment) => sql`
  insert into leaderboard_price as p (token, price, traded)
  select t.id, coalesce(n.price, ${sql.literal(listedSql("t"))}), n.price is not null
  from token t cross join lateral (select ${sql.literal(lastTradeSql("t"))} as price) n
  where t.id in (${tokens})
  on conflict (token) do update set price = excluded.price, traded = excluded.traded
  where p.price is distinct from excluded.price or p.traded <> excluded.traded`

/** Tokens that somebody holds and nobody traded: they follow the catalogue's prices. */
export const listedTokens = (sql: SqlClient): Fragment => sql`
  select p.token from leaderboard_price p
  where not p.traded and exists (select from leaderboard_open o where o.token = p.token)`
