import { Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { type GamePhase, type GameState, gamePhases } from "#src/domain/Game.ts"
import { marketStore } from "./MarketStore.ts"
import type { SportsEvent, SportsGame, SportsMarket } from "./model.ts"

interface EventRow
  extends Omit<GameState, "finishedAt">,
    Pick<
      SportsEvent,
      | "id"
      | "slug"
      | "title"
      | "description"
      | "context"
      | "category"
      | "image"
      | "parent"
      | "series"
      | "active"
      | "closed"
    > {
  readonly event_date: string | null
  readonly starts_at: Date | null
  readonly opens_at: Date | null
  readonly ends_at: Date | null
  readonly closed_at: Date | null
  readonly volume: bigint | null
  readonly volume_day: bigint | null
  readonly liquidity: bigint | null
  readonly game: string | null
  readonly league: string | null
  readonly home: string | null
  readonly away: string | null
  readonly home_team: number | null
  readonly away_team: number | null
  readonly phase: GamePhase | null
  readonly finished_at: Date | null
  readonly heard_at: Date | null
}

const columns = `
  e.id, e.slug, e.title, e.description, e.context, e.category, e.image, e.parent, e.series, e.event_date, e.starts_at,
  e.opens_at, e.ends_at, e.closed_at, e.active, e.closed, e.volume, e.volume_day, e.liquidity, e.game, g.league, g.home, g.away,
  g.home_team, g.away_team, g.phase, g.status, g.score, g.period, g.elapsed, g.turn, g.live, g.ended, g.finished_at,
  g.heard_at`

const millis = (at: Date | null) => at?.getTime() ?? null

const gameIn = (row: EventRow): SportsGame | null =>
  row.game === null
    ? null
    : {
        id: row.game,
        league: row.league,
        home: row.home,
        away: row.away,
        homeTeam: row.home_team,
        awayTeam: row.away_team,
        phase: row.phase ?? "scheduled",
        state: {
          status: row.status,
          score: row.score,
          period: row.period,
          elapsed: row.elapsed,
          turn: row.turn,
          live: row.live,
          ended: row.ended,
          finishedAt: millis(row.finished_at),
        },
        heardAt: millis(row.heard_at),
      }

const eventIn = (row: EventRow, markets: ReadonlyArray<SportsMarket>): SportsEvent => ({
  id: row.id,
  slug: row.slug,
  title: row.title,
  description: row.description,
  context: row.context,
  category: row.category,
  image: row.image,
  parent: row.parent,
  series: row.series,
  eventDate: row.event_date,
  startsAt: millis(row.starts_at),
  opensAt: millis(row.opens_at),
  endsAt: millis(row.ends_at),
  closedAt: millis(row.closed_at),
  active: row.active,
  closed: row.closed,
  volume: row.volume,
  volumeDay: row.volume_day,
  liquidity: row.liquidity,
  game: gameIn(row),
  markets,
})

/** What the status of an answer is made of, as `statusOf`. */
const statusSql = `case when e.closed and coalesce(g.phase, 'scheduled') in ('scheduled', 'live') then 'ended'
  else coalesce(g.phase, 'scheduled') end`

export const gameStatuses = ["active", ...gamePhases, "closed", "all"] as const
export type GameStatus = (typeof gameStatuses)[number]

/** The sort keys of games, by the names of the venue: `startDate` is when it was listed, `startTime` when it starts. */
const sortColumns = {
  startDate: "e.starts_at",
  startTime: "e.opens_at",
  endDate: "e.ends_at",
  volume24hr: "e.volume_day",
  volume: "e.volume",
  liquidity: "e.liquidity",
  id: "e.id",
} as const
export type GameSort = keyof typeof sortColumns
export const gameSorts = Object.keys(sortColumns) as ReadonlyArray<GameSort>

export interface GamesQuery {
  readonly status: GameStatus
  readonly sort: GameSort
  readonly direction: "asc" | "desc"
  readonly limit: number
  readonly offset: number
}

/** Only events of leagues count as sports. */
const isSports = "(e.game is not null or exists (select from league l where l.series = e.series))"

export type EventKey =
  | { readonly by: "slug"; readonly value: string }
  | { readonly by: "event" | "market"; readonly value: number }

/** Events of games as the catalogue has them. */
export const eventStore = (sql: SqlClient, lookups: SqlClient) => {
  const marketsOf = marketStore(lookups)
  const withMarkets = (rows: ReadonlyArray<EventRow>) =>
    Effect.map(marketsOf(rows.map(({ id }) => id)), (markets) =>
      rows.map((row) => eventIn(row, markets.get(row.id) ?? [])),
    )

  const matching = (status: GameStatus): Fragment => {
    if (status === "all") return sql`true`
    if (status === "closed") return sql`e.closed`
    if (status === "active") return sql`not e.closed`
    const isStatus = sql`${sql.literal(statusSql)} = ${status}`
    return status === "live" || status === "scheduled" ? sql`not e.closed and ${isStatus}` : isStatus
  }

  return {
    /** Games of a series, without the other events of the same games. */
    games: ({ series, status, sort, direction, limit, offset }: GamesQuery & { readonly series: number }) =>
      Effect.flatMap(
        sql<EventRow>`
          select ${sql.literal(columns)} from event e left join game g on g.id = e.game
          where e.series = ${series} and e.parent is null and not e.archived and ${matching(status)}
          order by ${sql.literal(`${sortColumns[sort]} ${direction} nulls last, e.id ${direction}`)}
          limit ${limit} offset ${offset}`,
        withMarkets,
      ),

    /** The event of a key, and the other events of its game if it is the one that names the game. */
    find: Effect.fnUntraced(function* (key: EventKey) {
      const wanted = {
        slug: () => sql`e.slug = ${key.value}`,
        event: () => sql`e.id = ${key.value}`,
        market: () => sql`e.id = (select m.event from market m where m.id = ${key.value})`,
      }[key.by]()
      const withRelated = key.by === "market" ? sql`false` : sql`found.parent is null`
      const rows = yield* lookups<EventRow>`
        with found as materialized (
          select e.id, e.game, e.parent from event e
          where ${wanted} and ${sql.literal(isSports)} order by e.id desc limit 1)
        select true as is_found, ${sql.literal(columns)}
        from found join event e on e.id = found.id left join game g on g.id = e.game
        union all
        select false, ${sql.literal(columns)}
        from found join event e on e.game = found.game and e.id <> found.id left join game g on g.id = e.game
        where ${withRelated} and not e.archived
        order by is_found desc, id`
      const [event, ...related] = yield* withMarkets(rows)
      return event === undefined ? undefined : { event, related }
    }),

    /** Games of which the live source has sent something since a time. */
    heardSince: (games: ReadonlyArray<string>, since: number) =>
      Effect.map(
        sql<Omit<EventRow, "game"> & { readonly game: string }>`
          select g.id as game, g.* from game g
          where g.id = any(${games}::text[]) and g.heard_at >= ${new Date(since)}`,
        (rows) => new Map(rows.map((row) => [row.game, gameIn(row)])),
      ),

    /** The slug of the event that names a game. */
    slugOfGame: (game: string) =>
      Effect.map(
        sql<{ slug: string | null }>`select slug from game where id = ${game}`,
        ([row]) => row?.slug ?? undefined,
      ),

    /** As of when the open events are known, in milliseconds; undefined before the first load. */
    knownAt: Effect.map(
      sql<{ at: Date | null }>`select max(at) as at from catalogue_progress where name in ('sweep', 'first-load')`,
      ([row]) => row?.at?.getTime(),
    ),
  }
}
