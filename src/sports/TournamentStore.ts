import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"

/** A round of a competition: the games of a week of its calendar or, if it has no weeks, of a day. */
export interface Phase {
  readonly id: number
  readonly name: string
  readonly games: number
}

/** The competition of a league's series. */
export interface Tournament {
  readonly id: number
  readonly name: string
  readonly league: string
  readonly entrants: number
  readonly phases: ReadonlyArray<Phase>
}

interface Row {
  readonly id: number
  readonly name: string
  readonly league: string
  readonly entrants: number
  readonly week: number | null
  readonly date: string | null
  readonly games: number | null
}

const phaseIn = ({ week, date, games }: Row): ReadonlyArray<Phase> => {
  if (games === null || (week === null && date === null)) return []
  return week === null
    ? [{ id: Number((date ?? "").replaceAll("-", "")), name: date ?? "", games }]
    : [{ id: week, name: `Week ${week}`, games }]
}

const grouped = (rows: ReadonlyArray<Row>): ReadonlyArray<Tournament> =>
  [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((phases) => {
    const [first] = phases
    if (first === undefined) return []
    const { id, name, league, entrants } = first
    return [{ id, name, league, entrants, phases: phases.flatMap(phaseIn) }]
  })

/** Open competitions, with the rounds that are still to be played. The venue lists games, not brackets. */
export const tournamentStore = (sql: SqlClient) => {
  const read = (series: Fragment) =>
    Effect.map(
      sql<Row>`
        select s.id, s.title as name, l.code as league,
          (select count(*)::int from team t where t.league = l.code) as entrants, p.week, p.date, p.games
        from (select distinct on (series) series, code from league where ${series} order by series, id) l
        join series s on s.id = l.series
        left join lateral (
          select e.event_week as week, case when e.event_week is null then e.event_date end as date, count(*)::int as games
          from event e
          where e.series = s.id and e.parent is null and not e.closed and not e.archived and e.game is not null
          group by 1, 2) p on true
        where not s.closed
        order by s.id, p.week, p.date`,
      grouped,
    )
  return {
    tournaments: read(sql`series is not null`),
    tournament: (id: number) => Effect.map(read(sql`series = ${id}`), ([first]) => first),
  }
}
