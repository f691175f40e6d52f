import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import { unrealizedOf } from "#src/leaderboards/all-time/holdings.ts"
import { everything } from "#src/leaderboards/model.ts"
import { lockReplaceable } from "#src/leaderboards/replace.ts"

const columns = "realized, profit, unrealized, total, wins, losses, positions, open"
const of = (alias: string) => columns.replaceAll(/\b(\w+)/g, `${alias}.$1`)

/** What a user realized: of all time from its standing `s`, else from its rolling sums `r`. */
const inPeriod = (name: string) => `case when u.days = 0 then s.${name} else coalesce(r.${name}, 0) end`

/**
 * Takes the gains and losses of all users from the leaderboards, and writes what differs. They become a new version, which is
 * as of the leaderboards' block. Wallets with a position of unknown cost are left out, as they are of the boards. False while
 * there are no boards, or none that differ.
 */
export const takePnl = Effect.fnUntraced(function* (sql: SqlClient) {
  yield* sql`set transaction isolation level repeatable read`
  yield* lockReplaceable(sql, "access share")
  const [state] = yield* sql<{ block: number; at: Date }>`
    select s.block, s.at from leaderboard_state s
    where not s.stale and not exists (select from builder_pnl_state p where p.block = s.block and p.at = s.at)`
  if (state === undefined) return false
  const scope = sql.literal(String(everything))
  yield* sql`
    create temp table fresh_builder_pnl on commit drop as
    with used as (
      select builder, 0::smallint as days, wallet from builder_user where builder > 0
      union all select builder, days, wallet from builder_window),
    value as (${unrealizedOf(sql, sql`o.wallet in (select wallet from builder_user)`)})
    select u.builder, u.days, u.wallet, s.positions, s.open, coalesce(v.unrealized, 0)::int8 as unrealized,
      ${sql.literal(["realized", "profit", "wins", "losses"].map((name) => `${inPeriod(name)} as ${name}`).join(", "))},
      (${sql.literal(inPeriod("realized"))} + coalesce(v.unrealized, 0))::int8 as total
    from used u
    join leaderboard_standing s on s.scope = ${scope} and s.wallet = u.wallet and s.partial = 0
    left join leaderboard_rolling r on r.scope = ${scope} and r.days = u.days and r.wallet = u.wallet
    left join value v on v.wallet = u.wallet`
  yield* sql`
    insert into builder_pnl as p (builder, days, wallet, ${sql.literal(columns)})
    select builder, days, wallet, ${sql.literal(columns)} from fresh_builder_pnl
    on conflict (builder, days, wallet) do update
    set (${sql.literal(columns)}) = row(${sql.literal(of("excluded"))})
    where (${sql.literal(of("p"))}) is distinct from (${sql.literal(of("excluded"))})`
  yield* sql`
    delete from builder_pnl p where not exists (
      select from fresh_builder_pnl f where f.builder = p.builder and f.days = p.days and f.wallet = p.wallet)`
  yield* sql`
    insert into builder_pnl_state as s (version, block, at) values (1, ${state.block}, ${state.at})
    on conflict (single) do update set version = s.version + 1, block = excluded.block, at = excluded.at`
  return true
})
