import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { SqlError } from "effect/unstable/sql/SqlError"
import type { League, Team } from "#src/domain/Catalogue.ts"

export interface StoredSeries {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly series_type: string | null
  readonly recurrence: string | null
  readonly image: string | null
  readonly active: boolean
  readonly closed: boolean
  readonly volume: bigint | null
  readonly volume_day: bigint | null
  readonly liquidity: bigint | null
}

export interface LeagueSummary {
  readonly league: string
  readonly series: number
  readonly games: number
  readonly live: number
  readonly upcoming: number
  readonly markets: number
  readonly volume_day: bigint
  readonly next_start: Date | null
  readonly latest_date: string | null
  readonly counted_at: Date
}

export interface SeriesQuery {
  readonly status: "active" | "closed" | "all"
  readonly limit: number
  readonly offset: number
}

/** A series is one of sports if a league or a game has it. */
const isSports = `(exists (select from league l where l.series = s.id)
  or exists (select from event e where e.series = s.id and e.game is not null))`

const seriesColumns = `s.id, s.slug, s.title, s.series_type, s.recurrence, s.image, s.active, s.closed, s.volume,
  s.volume_day, s.liquidity`

export const leagueStore = (sql: SqlClient) => ({
  all: sql<League>`select id, code, name, image, resolution, ordering, tags, series from league order by id`,

  teams: (league: string, limit: number, offset: number) =>
    sql<Team>`
      select id, name, league, record, logo, abbreviation, alias, color, provider from team
      where league = ${league} order by name, id limit ${limit} offset ${offset}`,

  teamsById: (ids: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<Team>, SqlError> =>
    ids.length === 0
      ? Effect.succeed([])
      : sql<Team>`
          select id, name, league, record, logo, abbreviation, alias, color, provider from team
          where id = any(${ids}::int[])`,

  summaries: sql<LeagueSummary>`
    select league, series, games, live, upcoming, markets, volume_day, next_start, latest_date, counted_at
    from league_summary order by league`,

  marketTypes: Effect.map(sql<{ code: string }>`select code from market_type order by code`, (rows) =>
    rows.map(({ code }) => code),
  ),

  series: ({ status, limit, offset }: SeriesQuery) => {
    const wanted = { active: sql`not s.closed`, closed: sql`s.closed`, all: sql`true` }[status]
    return sql<StoredSeries>`
      select ${sql.literal(seriesColumns)} from series s where ${wanted} and ${sql.literal(isSports)}
      order by s.volume_day desc nulls last, s.id limit ${limit} offset ${offset}`
  },

  oneSeries: (id: number) =>
    Effect.map(
      sql<StoredSeries>`select ${sql.literal(seriesColumns)} from series s where s.id = ${id} and ${sql.literal(isSports)}`,
      ([row]) => row,
    ),
})
