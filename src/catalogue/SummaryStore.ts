import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** An arbitrary number. */
const countLock = 0x6c656167

/**
 * Sums per league over its open games, one writer of a league at a time: without what another one has just committed, sums
 * would be wrong. Last in its transaction, because the others wait for its end; in one order, or they deadlock.
 */
const count = (sql: SqlClient, leagues: Fragment, now: number) =>
  Effect.asVoid(
    Effect.andThen(
      sql`
        select pg_advisory_xact_lock(${countLock}, l.name)
        from (select distinct hashtext(code) as name from league where series is not null and ${leagues} order by name) l`,
      sql`
    insert into league_summary as s
      (league, series, games, live, upcoming, markets, volume_day, next_start, latest_date, counted_at)
    select l.code, l.series, games.*, ${new Date(now)}
    from (select distinct on (code) code, series from league where series is not null and ${leagues} order by code, id) l
    cross join lateral (
      select count(*) filter (where e.parent is null)::int,
        count(*) filter (where e.parent is null and g.phase = 'live')::int,
        count(*) filter (where e.parent is null and coalesce(g.phase, 'scheduled') = 'scheduled')::int,
        coalesce(sum(m.open), 0)::int, coalesce(sum(e.volume_day), 0)::int8,
        min(e.opens_at) filter (where coalesce(g.phase, 'scheduled') = 'scheduled'), max(e.event_date)
      from event e left join game g on g.id = e.game
      cross join lateral (select count(*) as open from market m where m.event = e.id and not m.closed) m
      where e.series = l.series and not e.closed and not e.archived) games
    order by l.code
    on conflict (league) do update set series = excluded.series, games = excluded.games, live = excluded.live,
      upcoming = excluded.upcoming, markets = excluded.markets, volume_day = excluded.volume_day,
      next_start = excluded.next_start, latest_date = excluded.latest_date, counted_at = excluded.counted_at`,
    ),
  )

/** The leagues that have games. */
export const leagueCodes = (sql: SqlClient) =>
  Effect.map(sql<{ code: string }>`select distinct code from league where series is not null order by code`, (rows) =>
    rows.map(({ code }) => code),
  )

/** Counts the games of a league. Call it at the end of a transaction. */
export const countLeague = (sql: SqlClient, code: string, now: number) => count(sql, sql`code = ${code}`, now)

/** Forgets leagues that the venue no longer has. */
export const forgetLeagues = (sql: SqlClient) =>
  sql`delete from league_summary s where not exists (select from league l where l.code = s.league and l.series is not null)`

/** What has changed: series, whose events are others, and games in another phase. */
export interface Recount {
  readonly series?: ReadonlyArray<number>
  readonly games?: ReadonlyArray<string>
}

/** Counts the games of the leagues in which something has changed. Call it at the end of a transaction. */
export const recount = (sql: SqlClient, { series = [], games = [] }: Recount, now: number) => {
  const changed = [
    ...(series.length === 0 ? [] : [sql`series = any(${series}::int[])`]),
    ...(games.length === 0 ? [] : [sql`series in (select e.series from event e where e.game = any(${games}::text[]))`]),
  ]
  return changed.length === 0 ? Effect.void : count(sql, sql.or(changed), now)
}
