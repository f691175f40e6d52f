import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { pgArray } from "#src/platform/sql/pgArray.ts"
import { movedRows } from "../metrics.ts"

export const sums = [
  "realized",
  "profit",
  "wins",
  "losses",
  "positions",
  "open",
  "volume",
  "partial",
  // Positions with a realized gain or loss that are not open.
  "gained",
] as const
const names = sums.join(", ")
/** Columns of the changes `c`. */
const added = sums.map((name) => `sum(c.${name})`).join(", ")
const increased = sums.map((name) => `${name} = s.${name} + excluded.${name}`).join(", ")

/** What positions (see pastPositions.ts) contribute, times `sign`. */
export const contributionsOf = (sql: SqlClient, positions: Fragment, sign: 1 | -1): Fragment => sql`
  select v.wallet, v.token, ${sql.literal(
    ["realized", "profit", "wins", "losses"].map((name) => `${sign} * v.${name} as ${name}`).join(", "),
  )}, ${sql.literal(
    `${sign} as positions, case when v.open then ${sign} else 0 end as open, ${sign} * v.volume as volume,
    case when v.partial then ${sign} else 0 end as partial,
    case when v.realized <> 0 and not v.open then ${sign} else 0 end as gained`,
  )}
  from (${positions}) v`

/** Changes per wallet and token, for each scope of the token. */
export const inScopes = (sql: SqlClient, changes: Fragment): Fragment => sql`
  select x.scope, c.*
  from (
    select c.wallet, c.token, ${sql.literal(sums.map((name) => `sum(c.${name}) as ${name}`).join(", "))}
    from (${changes}) c group by c.wallet, c.token) c
  cross join lateral (
    select 0 as scope union all select l.scope from leaderboard_token l where l.token = c.token) x`

/** Adds changes per wallet and scope to the sums. A wallet without positions has no row. */
export const count = Effect.fnUntraced(function* (sql: SqlClient, changes: Fragment) {
  const [done] = yield* sql<{
    rows: number
    scopes: ReadonlyArray<number> | null
    wallets: ReadonlyArray<number> | null
  }>`
    with counted as (
      insert into leaderboard_standing as s (scope, wallet, ${sql.literal(names)})
      select c.scope, c.wallet, ${sql.literal(added)} from (${changes}) c group by c.scope, c.wallet
      on conflict (scope, wallet) do update set ${sql.literal(increased)}
      returning scope, wallet, positions)
    select count(*)::int as rows, array_agg(scope) filter (where positions = 0) as scopes,
      array_agg(wallet) filter (where positions = 0) as wallets
    from counted`
  yield* movedRows("standing", done?.rows ?? 0)
  if (done === undefined || done.scopes === null || done.wallets === null) return
  yield* sql`
    delete from leaderboard_standing s
    using unnest(${pgArray("int4", done.scopes)}, ${pgArray("int4", done.wallets)}) g(scope, wallet)
    where s.scope = g.scope and s.wallet = g.wallet`
})
