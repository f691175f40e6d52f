import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { lastTradeSql, listedSql } from "#src/ledger/positions/price.ts"

/** Without a price, a share is worth the 0.50 that a split makes it. */
const unpriced = 500_000

/** Sets the newest prices of tokens. */
export const price = (sql: SqlClient, tokens: Fragment) => sql`
  insert into leaderboard_price as p (token, price, traded)
  select t.id, coalesce(n.price, ${sql.literal(listedSql("t"))}, ${unpriced}::int4), n.price is not null
  from token t cross join lateral (select ${sql.literal(lastTradeSql("t"))} as price) n
  where t.id in (${tokens})
  on conflict (token) do update set price = excluded.price, traded = excluded.traded
  where p.price <> excluded.price or p.traded <> excluded.traded`

/** Tokens that somebody holds and nobody traded: they follow the catalogue's prices. */
export const listedTokens = (sql: SqlClient): Fragment => sql`
  select p.token from leaderboard_price p
  where not p.traded and exists (select from leaderboard_open o where o.token = p.token)`
