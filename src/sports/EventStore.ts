import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { Fragment } from "effect/unstable/sql/Statement"
import { type GamePhase, type GameState, gamePhases } from "#src/domain/Game.ts"
import { tokenOfHex } from "#src/domain/TokenId.ts"
import { growingCache } from "#src/platform/growingCache.ts"
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

interface MarketRow {
  readonly id: number
  readonly event: number
  readonly condition: string | null
  readonly slug: string
  readonly question: string
  readonly group_title: string | null
  readonly sports_type: string | null
  readonly line: bigint | null
  readonly outcomes: ReadonlyArray<string>
  readonly prices: ReadonlyArray<number>
  readonly tokens: ReadonlyArray<number>
  readonly volume: bigint | null
  readonly volume_day: bigint | null
  readonly liquidity: bigint | null
  readonly opens_at: Date | null
  readonly active: boolean
  readonly closed: boolean
  readonly accepting_orders: boolean
  readonly delay_seconds: number | null
  readonly clear_book_on_start: boolean | null
  readonly best_bid: number | null
  readonly best_ask: number | null
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

const marketIn = (row: MarketRow, tokenIds: ReadonlyMap<number, string>): SportsMarket => ({
  id: row.id,
  event: row.event,
  condition: row.condition,
  slug: row.slug,
  question: row.question,
  groupTitle: row.group_title,
  sportsType: row.sports_type,
  line: row.line,
  outcomes: row.outcomes,
  prices: row.prices,
  tokens: row.tokens.flatMap((token) => tokenIds.get(token) ?? []),
  volume: row.volume,
  volumeDay: row.volume_day,
  liquidity: row.liquidity,
  opensAt: millis(row.opens_at),
  active: row.active,
  closed: row.closed,
  acceptingOrders: row.accepting_orders,
  delaySeconds: row.delay_seconds,
  clearBookOnStart: row.clear_book_on_start,
  bestBid: row.best_bid,
  bestAsk: row.best_ask,
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

/** Markets are kept for a moment: to read and write them costs more than all else. States of games are always read. */
const keptMillis = 1_000
const mostKept = 5_000

/** Names of tokens that a process keeps in memory; they never change. */
const mostTokens = 400_000

export type EventKey =
  | { readonly by: "slug"; readonly value: string }
  | { readonly by: "event" | "market"; readonly value: number }

/** Events of games as the catalogue has them. */
export const eventStore = (sql: SqlClient) => {
  const known = new Map<number, string>()

  const tokenIds = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
    const missing = [...new Set(ids)].filter((id) => !known.has(id))
    if (missing.length === 0) return known
    if (known.size + missing.length > mostTokens) known.clear()
    const wanted = known.size === 0 ? [...new Set(ids)] : missing
    const rows = yield* sql<{ id: number; hash: string }>`
      select id, encode(hash, 'hex') as hash from token where id = any(${wanted}::int[])`
    for (const { id, hash } of rows) known.set(id, tokenOfHex(hash))
    return known
  })

  const readMarkets = Effect.fnUntraced(function* (events: ReadonlyArray<number>) {
    const rows = yield* sql<MarketRow>`
      select m.id, m.event, '0x' || encode(c.hash, 'hex') as condition, m.slug, m.question, m.group_title, m.sports_type,
        m.line, m.outcomes, m.prices, m.tokens, m.volume, m.volume_day, m.liquidity, m.opens_at, m.active, m.closed,
        m.accepting_orders, m.delay_seconds, m.clear_book_on_start, m.best_bid, m.best_ask
      from market m left join condition c on c.id = m.condition
      where m.event = any(${events}::int[]) and not m.archived
      order by m.event, m.id`
    const ids = yield* tokenIds(rows.flatMap(({ tokens }) => tokens))
    const byEvent = Map.groupBy(rows, ({ event }) => event)
    return new Map(events.map((event) => [event, (byEvent.get(event) ?? []).map((row) => marketIn(row, ids))]))
  })

  const kept = growingCache<string, { readonly markets: ReadonlyArray<SportsMarket>; readonly at: number }>(mostKept)

  const withMarkets = Effect.fnUntraced(function* (rows: ReadonlyArray<EventRow>) {
    const now = yield* Clock.currentTimeMillis
    const known = new Map(
      rows.flatMap(({ id }) => {
        const last = kept.get(String(id))
        return last !== undefined && Math.abs(now - last.at) < keptMillis ? [[id, last.markets] as const] : []
      }),
    )
    const missing = rows.flatMap(({ id }) => (known.has(id) ? [] : [id]))
    const read = missing.length === 0 ? new Map<number, ReadonlyArray<SportsMarket>>() : yield* readMarkets(missing)
    for (const [id, markets] of read) kept.set(String(id), { markets, at: now })
    return rows.map((row) => eventIn(row, known.get(row.id) ?? read.get(row.id) ?? []))
  })

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
      const rows = yield* sql<EventRow>`
        select ${sql.literal(columns)} from event e left join game g on g.id = e.game
        where ${wanted} and ${sql.literal(isSports)} order by e.id desc limit 1`
      const [row] = rows
      if (row === undefined) return undefined
      const others =
        row.game === null || row.parent !== null || key.by === "market"
          ? []
          : yield* sql<EventRow>`
              select ${sql.literal(columns)} from event e left join game g on g.id = e.game
              where e.game = ${row.game} and e.id <> ${row.id} and not e.archived order by e.id`
      const [event, ...related] = yield* withMarkets([...rows, ...others])
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
