import { Effect, Metric } from "effect"
import type { SqlClient } from "effect/unstable/sql/SqlClient"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import { type GameState, phaseOf, type ScoreUpdate } from "#src/domain/Game.ts"
import type { EventLog } from "#src/mesh/EventLog.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { applyCatalogue, applyLive, type GameChange, type GameUpdate, type KnownGame } from "./gameState.ts"
import { recount } from "./SummaryStore.ts"
import { upsert } from "./upsert.ts"

interface Fixture {
  readonly id: string
  readonly slug: string | null
  readonly league: string | null
  readonly home: string | null
  readonly away: string | null
  readonly home_team: number | null
  readonly away_team: number | null
  readonly starts_at: Date | null
}

const fixtureColumns = {
  id: "text",
  slug: "text",
  league: "text",
  home: "text",
  away: "text",
  home_team: "int4",
  away_team: "int4",
  starts_at: "timestamptz",
} as const

const upsertFixtures = upsert<Fixture>("game", fixtureColumns)
const insertFixtures = bulkInsert<Fixture>({ table: "game", columns: fixtureColumns, suffix: "on conflict do nothing" })

interface StateRow extends Omit<GameState, "finishedAt"> {
  readonly id: string
  readonly slug: string | null
  readonly league: string | null
  readonly finished_at: Date | null
  readonly source_at: Date | null
  readonly heard_at: Date | null
}

const ignored = Metric.counter("presage_sports_overtaken_total", {
  description: "Messages about games that were older than the last one",
  incremental: true,
})
const scores = Metric.counter("presage_sports_scores_total", {
  description: "Changes of the score, period or status of a game",
  incremental: true,
})

const dateOf = (at: number | null) => (at === null ? null : new Date(at))

const knownFrom = (row: StateRow): KnownGame => ({
  id: row.id,
  state: {
    status: row.status,
    score: row.score,
    period: row.period,
    elapsed: row.elapsed,
    turn: row.turn,
    live: row.live,
    ended: row.ended,
    finishedAt: row.finished_at?.getTime() ?? null,
  },
  sourceAt: row.source_at?.getTime() ?? null,
  receivedAt: row.heard_at?.getTime() ?? null,
})

/** What the catalogue says about the game of an event, if it has one. */
type ListedGame = Pick<CatalogueEvent, "slug" | "parent" | "game">

const fixtureOf = (event: ListedGame): ReadonlyArray<Fixture> => {
  const { game } = event
  if (game === null) return []
  return [
    {
      id: game.id,
      slug: event.slug,
      league: game.league,
      home: game.home,
      away: game.away,
      home_team: game.homeTeam,
      away_team: game.awayTeam,
      starts_at: dateOf(game.startsAt),
    },
  ]
}

/** Adds games that are missing; of several fixtures of a game, the first counts. In the order in which games are locked. */
const addFixtures = (sql: SqlClient, fixtures: ReadonlyArray<Fixture>) => {
  const byId = new Map(fixtures.toReversed().map((fixture) => [fixture.id, fixture]))
  return insertFixtures(
    sql,
    [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
}

/** In one order for all writers, or they deadlock. */
const lock = (sql: SqlClient, ids: ReadonlyArray<string>) =>
  Effect.map(
    sql<StateRow>`
      select id, slug, league, status, score, period, elapsed, turn, live, ended, finished_at, source_at, heard_at
      from game where id = any(${ids}::text[]) order by id collate "C" for update`,
    (rows) => new Map(rows.map((row) => [row.id, { slug: row.slug, league: row.league, known: knownFrom(row) }])),
  )

const save = (sql: SqlClient, { id, state, sourceAt, receivedAt }: KnownGame) => sql`
  update game set status = ${state.status}, score = ${state.score}, period = ${state.period},
    phase = ${phaseOf(state)}, elapsed = ${state.elapsed}, turn = ${state.turn}, live = ${state.live}, ended = ${state.ended},
    finished_at = ${dateOf(state.finishedAt)}, source_at = ${dateOf(sourceAt)}, heard_at = ${dateOf(receivedAt)}
  where id = ${id}`

interface GameNames {
  readonly slug: string | null
  readonly league: string | null
}

const announce = (
  log: EventLog["Service"],
  { next: { id, state } }: GameChange,
  { slug, league }: GameNames,
  at: number,
) =>
  Effect.andThen(
    Metric.update(scores, 1),
    log.append([
      {
        kind: "score",
        data: {
          game: id,
          slug,
          league,
          phase: phaseOf(state),
          status: state.status,
          score: state.score,
          period: state.period,
          elapsed: state.elapsed,
          live: state.live,
          ended: state.ended,
          at,
        },
      },
    ]),
  )

const changesPhase = (before: KnownGame, after: KnownGame) => phaseOf(before.state) !== phaseOf(after.state)

const sameState = (a: KnownGame, b: KnownGame) => JSON.stringify(a) === JSON.stringify(b)

/** Writes the games that the catalogue had at `requestedAt`. Call it inside a transaction. Returns the games in a new phase. */
export const writeFromCatalogue = (
  sql: SqlClient,
  log: EventLog["Service"],
  events: ReadonlyArray<ListedGame>,
  requestedAt: number,
) =>
  Effect.gen(function* () {
    const withGame = events.filter(({ game }) => game !== null)
    if (withGame.length === 0) return []
    // The main event names the game; child events only add a missing one.
    const main = withGame.filter(({ parent }) => parent === null)
    const others = withGame.filter(({ parent }) => parent !== null)
    const ids = [...new Set(withGame.flatMap(({ game }) => game?.id ?? []))]
    yield* addFixtures(sql, [...main, ...others].flatMap(fixtureOf))
    yield* lock(sql, ids)
    yield* upsertFixtures(sql, main.flatMap(fixtureOf))
    const games = yield* lock(sql, ids)
    const inNewPhase = new Set<string>()
    for (const { game } of withGame) {
      const before = game === null ? undefined : games.get(game.id)
      if (game === null || before === undefined) continue
      const change = applyCatalogue(before.known, game.state, requestedAt)
      if (change === undefined || sameState(change.next, before.known)) continue
      games.set(game.id, { ...before, known: change.next })
      yield* save(sql, change.next)
      if (changesPhase(before.known, change.next)) inNewPhase.add(game.id)
      if (change.announced) yield* announce(log, change, before, requestedAt)
    }
    return [...inNewPhase]
  })

/** Writes updates of the live source in order of arrival. Call it inside a transaction. */
export const writeLive = (sql: SqlClient, log: EventLog["Service"], updates: ReadonlyArray<ScoreUpdate>, now: number) =>
  Effect.gen(function* () {
    const slugs = updates.flatMap(({ id, slug }) => (id === null && slug !== null ? [slug] : []))
    const rows =
      slugs.length === 0
        ? []
        : yield* sql<{ id: string; slug: string }>`select id, slug from game where slug = any(${slugs}::text[])`
    const bySlug = new Map(rows.map(({ id, slug }) => [slug, id]))
    const identified = updates.flatMap((update): ReadonlyArray<GameUpdate> => {
      const id = update.id ?? bySlug.get(update.slug ?? "")
      return id === undefined ? [] : [{ ...update, id }]
    })
    if (identified.length === 0) return
    const fixtures = identified.map(({ id, slug, league, home, away }) => ({
      id,
      slug,
      league,
      home,
      away,
      home_team: null,
      away_team: null,
      starts_at: null,
    }))
    yield* addFixtures(sql, fixtures)
    const games = yield* lock(sql, [...new Set(identified.map(({ id }) => id))])
    const inNewPhase = new Set<string>()
    for (const update of identified) {
      const before = games.get(update.id)
      const change = applyLive(before?.known, update, now)
      if (change === undefined || before === undefined) {
        yield* Metric.update(ignored, 1)
        continue
      }
      games.set(update.id, { ...before, known: change.next })
      yield* save(sql, change.next)
      if (changesPhase(before.known, change.next)) inNewPhase.add(update.id)
      if (change.announced) yield* announce(log, change, before, update.at ?? now)
    }
    yield* recount(sql, { games: [...inNewPhase] }, now)
  })
