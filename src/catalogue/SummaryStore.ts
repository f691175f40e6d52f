import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** Sums per league over its open games. In the order of leagues, so that concurrent writers do not deadlock. */
const count = (sql: SqlClient, leagues: Fragment, now: number) =>
  Effect.asVoid(sql`
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
      next_start = excluded.next_start, latest_date = excluded.latest_date, counted_at = excluded.counted_at`)

/** Counts the games of all leagues, and forgets leagues that the venue no longer has. Call it inside a transaction. */
export const countLeagues = (sql: SqlClient, now: number) =>
  Effect.andThen(
    sql`delete from league_summary s where not exists (select from league l where l.code = s.league and l.series is not null)`,
    count(sql, sql`true`, now),
  )

/** Counts the games of the leagues of these series. Call it inside a transaction. */
export const countSeries = (sql: SqlClient, series: ReadonlyArray<number>, now: number) =>
  series.length === 0 ? Effect.void : count(sql, sql`series = any(${series}::int[])`, now)

/** Counts the games of the leagues that these games belong to. Call it inside a transaction. */
export const countGames = (sql: SqlClient, games: ReadonlyArray<string>, now: number) =>
  games.length === 0
    ? Effect.void
    : count(sql, sql`series in (select e.series from event e where e.game = any(${games}::text[]))`, now)
