import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { dayMillis } from "#src/domain/time.ts"
import { pgArray, unnest } from "#src/platform/sql/pgArray.ts"
import type { Board } from "./Board.ts"
import { movedRows } from "./metrics.ts"
import { type CountedBlock, everything, rollingDays } from "./model.ts"
import { replacements, writeReplacement } from "./replace.ts"
import { setScope, tokenSet } from "./scopeSets.ts"

/** Narrowest first. */
const windows: ReadonlyArray<number> = Object.values(rollingDays).toSorted((one, other) => one - other)

const daysBefore = (at: Date, days: number) => new Date(at.getTime() - days * dayMillis)

const combined = (sql: SqlClient, parts: ReadonlyArray<Fragment>) => sql.join(" union all ", false)(parts)

/** Events that enter (1) or leave (-1) a window; events of the same wallet and token are combined into one row. */
const summed = (sql: SqlClient, signed: Fragment) => sql`
  select wallet, token, days, sum(sign * amount)::int8 as realized, sum(sign * greatest(amount, 0))::int8 as profit,
    coalesce(sum(sign) filter (where amount > 0), 0)::int8 as wins,
    coalesce(sum(sign) filter (where amount < 0), 0)::int8 as losses, sum(sign)::int8 as events
  from (${signed}) s group by wallet, token, days`

/** Adds the sums `o` to the boards; `scopes` maps tokens to scopes with a factor. */
const add = Effect.fnUntraced(function* (sql: SqlClient, sums: Fragment, scopes: Fragment) {
  const [moved] = yield* sql<{ rows: number }>`
    with delta as materialized (
      select s.scope, o.days, o.wallet, sum(s.sign * o.realized)::int8 as realized, sum(s.sign * o.profit)::int8 as profit,
        sum(s.sign * o.wins)::int4 as wins, sum(s.sign * o.losses)::int4 as losses, sum(s.sign * o.events)::int4 as events
      from (${sums}) o cross join lateral (${scopes}) s
      group by s.scope, o.days, o.wallet),
    gone as (
      delete from leaderboard_rolling r using delta d
      where r.scope = d.scope and r.days = d.days and r.wallet = d.wallet and r.events + d.events = 0
      returning r.scope, r.days),
    kept as (
      update leaderboard_rolling r set realized = r.realized + d.realized, profit = r.profit + d.profit,
        wins = r.wins + d.wins, losses = r.losses + d.losses, events = r.events + d.events
      from delta d
      where r.scope = d.scope and r.days = d.days and r.wallet = d.wallet and r.events + d.events <> 0),
    fresh as (
      insert into leaderboard_rolling (scope, days, wallet, realized, profit, wins, losses, events)
      select d.scope, d.days, d.wallet, d.realized, d.profit, d.wins, d.losses, d.events from delta d
      where not exists (
        select from leaderboard_rolling r where r.scope = d.scope and r.days = d.days and r.wallet = d.wallet)
      returning scope, days),
    counted as (
      insert into leaderboard_count as c (scope, days, wallets)
      select scope, days, sum(change) from (
        select scope, days, 1 as change from fresh union all select scope, days, -1 from gone) changes
      group by scope, days having sum(change) <> 0
      on conflict (days, scope) do update set wallets = c.wallets + excluded.wallets)
    select count(*)::int as rows from delta`
  yield* sql`delete from leaderboard_count where wallets = 0`
  yield* movedRows("rolling", moved?.rows ?? 0)
})

/** Every token counts in the scope of all markets and in its own scopes. */
const scopesOf = (sql: SqlClient) =>
  sql`select ${everything}::int4 as scope, 1 as sign
    union all select t.scope, 1 from leaderboard_token t where t.token = o.token`

const counted = (sql: SqlClient, { block, at }: CountedBlock, days: number) =>
  sql`e.block <= ${block} and e.at > ${daysBefore(at, days)}`

const setSums = "leaderboard_rolling_sum"

const rebuild = Effect.fnUntraced(function* (sql: SqlClient, to: CountedBlock) {
  yield* sql`delete from leaderboard_retracted_event`
  yield* sql`delete from leaderboard_count`
  const narrowest = windows.map((days) => sql`when e.at > ${daysBefore(to.at, days)} then ${days}::int2`)
  // Grouped by the narrowest window that contains the event.
  yield* sql`
    create table ${sql(setSums)} as
    select e.wallet, s.set, case ${sql.join(" ", false)(narrowest)} end as days, total(e.amount) as realized,
      total(greatest(e.amount, 0)) as profit, (count(*) filter (where e.amount > 0))::int4 as wins,
      (count(*) filter (where e.amount < 0))::int4 as losses, count(*)::int4 as events
    from realized_event e join ${sql(tokenSet)} s on s.token = e.token
    where ${counted(sql, to, Math.max(...windows))}
    group by e.wallet, s.set, days`
  yield* sql`analyze ${sql(setSums)}`
  // Sorting by one number instead of three takes two thirds of the time.
  yield* writeReplacement(
    sql,
    "leaderboard_rolling",
    sql`
      select (key >> 37)::int4 as scope, ((key >> 32) & 31)::int2 as days, (key & 4294967295)::int4 as wallet,
        realized, profit, wins, losses, events
      from (
        select (x.scope::int8 << 37) | (w.days::int8 << 32) | n.wallet as key, total(n.realized) as realized,
          total(n.profit) as profit, total(n.wins) as wins, total(n.losses) as losses, total(n.events) as events
        from ${sql(setSums)} n
        join unnest(${pgArray("int2", windows)}) w(days) on n.days <= w.days
        join ${sql(setScope)} x on x.set = n.set
        group by key order by key) s`,
  )
  yield* sql`drop table ${sql(setSums)}`
  yield* sql`
    insert into leaderboard_count (scope, days, wallets)
    select scope, days, count(*) from ${replacements(sql, "leaderboard_rolling")} group by scope, days`
})

const retract = Effect.fnUntraced(function* (sql: SqlClient, from: CountedBlock) {
  const parts = windows.map(
    (days) => sql`
      select wallet, token, ${days}::int2 as days, -1 as sign, amount
      from leaderboard_retracted_event where at > ${daysBefore(from.at, days)}`,
  )
  yield* add(sql, summed(sql, combined(sql, parts)), scopesOf(sql))
  // Only rows visible in this snapshot.
  yield* sql`delete from leaderboard_retracted_event`
})

const rescope: Board["rescope"] = Effect.fnUntraced(function* (sql, from, moves) {
  const tokens = pgArray("int4", [...new Set(moves.map(({ token }) => token))])
  const parts = windows.map(
    (days) => sql`
      select e.wallet, e.token, ${days}::int2 as days, 1 as sign, e.amount
      from realized_event e where e.token = any(${tokens}) and ${counted(sql, from, days)}`,
  )
  const moved = unnest(sql, "m", moves, {
    token: ["int4", ({ token }) => token],
    scope: ["int4", ({ scope }) => scope],
    sign: ["int4", ({ sign }) => sign],
  })
  const scopes = sql`select m.scope, m.sign from ${moved} where m.token = o.token`
  yield* add(sql, summed(sql, combined(sql, parts)), scopes)
})

const advance = Effect.fnUntraced(function* (sql: SqlClient, from: CountedBlock, to: CountedBlock) {
  const entering = windows.map(
    (days) => sql`
      select e.wallet, e.token, ${days}::int2 as days, 1 as sign, e.amount
      from realized_event e where e.block > ${from.block} and ${counted(sql, to, days)}`,
  )
  // After a reorganisation the newest block may be earlier than before: events that had left re-enter.
  const [earlier, later, sign] = from.at < to.at ? [from.at, to.at, -1] : [to.at, from.at, 1]
  const crossing = windows.map(
    (days) => sql`
      select e.wallet, e.token, ${days}::int2 as days, ${sign}::int4 as sign, e.amount
      from realized_event e
      where e.block <= ${from.block} and e.at > ${daysBefore(earlier, days)} and e.at <= ${daysBefore(later, days)}`,
  )
  yield* add(sql, summed(sql, combined(sql, [...entering, ...crossing])), scopesOf(sql))
})

/**
 * P&L realized in the last 1, 7 and 30 days. An event counts in a window if its block is not after the counted block and its
 * time is within the window before that block's time.
 */
export const rolling: Board = { rebuild, retract, rescope, advance }
