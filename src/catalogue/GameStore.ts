import { Effect, Metric } from "effect"
import type { CatalogueEvent } from "#src/domain/Catalogue.ts"
import {
  type GameNews,
  hearCatalogue,
  hearLive,
  type KnownGame,
  type ScoreNews,
  type Verdict,
} from "#src/domain/gameState.ts"
import { EventLog } from "#src/mesh/EventLog.ts"
import { bulkInsert } from "#src/platform/sql/bulkWrite.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { upsert } from "./upsert.ts"

interface Fixture {
  readonly id: number
  readonly slug: string
  readonly league: string | null
  readonly home: string | null
  readonly away: string | null
  readonly home_team: number | null
  readonly away_team: number | null
  readonly starts_at: Date | null
}

const fixtureColumns = {
  id: "int4",
  slug: "text",
  league: "text",
  home: "text",
  away: "text",
  home_team: "int4",
  away_team: "int4",
  starts_at: "timestamptz",
} as const

const upsertFixtures = upsert<Fixture>("game", fixtureColumns)
const addFixtures = bulkInsert<Fixture>({ table: "game", columns: fixtureColumns, suffix: "on conflict do nothing" })

interface StateRow {
  readonly id: number
  readonly slug: string
  readonly status: string | null
  readonly score: string | null
  readonly period: string | null
  readonly elapsed: string | null
  readonly turn: string | null
  readonly live: boolean | null
  readonly ended: boolean | null
  readonly finished_at: Date | null
  readonly source_at: Date | null
  readonly heard_at: Date | null
}

const ignored = Metric.counter("presage_sports_overtaken_total", {
  description: "Messages about games that were older than what was known",
  incremental: true,
})
const scores = Metric.counter("presage_sports_scores_total", {
  description: "Changes of score, period or status of games",
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
  heardAt: row.heard_at?.getTime() ?? null,
})

const fixtureOf = (event: CatalogueEvent): ReadonlyArray<Fixture> => {
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

/** Games and how they stand. Everything here belongs into a transaction. */
export const gameStore = Effect.gen(function* () {
  const { sql } = yield* Postgres
  const log = yield* EventLog

  const lock = (ids: ReadonlyArray<number>) =>
    Effect.map(
      sql<StateRow>`
        select id, slug, status, score, period, elapsed, turn, live, ended, finished_at, source_at, heard_at
        from game where id = any(${ids}::int[]) order by id for update`,
      (rows) => new Map(rows.map((row) => [row.id, { slug: row.slug, known: knownFrom(row) }])),
    )

  const save = ({ id, state, sourceAt, heardAt }: KnownGame) => sql`
    update game set status = ${state.status}, score = ${state.score}, period = ${state.period},
      elapsed = ${state.elapsed}, turn = ${state.turn}, live = ${state.live}, ended = ${state.ended},
      finished_at = ${dateOf(state.finishedAt)}, source_at = ${dateOf(sourceAt)}, heard_at = ${dateOf(heardAt)}
    where id = ${id}`

  const announce = ({ next: { id, state } }: Verdict, slug: string, at: number) =>
    Effect.andThen(
      Metric.update(scores, 1),
      log.append([
        {
          kind: "score",
          ref: BigInt(id),
          data: {
            game: id,
            slug,
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

  const sameState = (a: KnownGame, b: KnownGame) => JSON.stringify(a) === JSON.stringify(b)

  return {
    /** What the catalogue says about games, as of when it was asked. */
    writeFromCatalogue: (events: ReadonlyArray<CatalogueEvent>, askedAt: number) =>
      Effect.gen(function* () {
        const withGame = events.filter(({ game }) => game !== null)
        if (withGame.length === 0) return
        // The main event names the game; others that belong to it come after.
        yield* upsertFixtures(sql, withGame.filter(({ parent }) => parent === null).flatMap(fixtureOf))
        yield* addFixtures(sql, withGame.filter(({ parent }) => parent !== null).flatMap(fixtureOf))
        const games = yield* lock([...new Set(withGame.map(({ game }) => game?.id ?? 0))])
        for (const { game } of withGame) {
          const before = game === null ? undefined : games.get(game.id)
          if (game === null || before === undefined) continue
          const verdict = hearCatalogue(before.known, game.state, askedAt)
          if (verdict === undefined || sameState(verdict.next, before.known)) continue
          games.set(game.id, { ...before, known: verdict.next })
          yield* save(verdict.next)
          if (verdict.announced) yield* announce(verdict, before.slug, askedAt)
        }
      }),

    /** What the live source says, in the order in which it came. */
    writeLive: (news: ReadonlyArray<ScoreNews>, now: number) =>
      Effect.gen(function* () {
        const nameless = news.flatMap(({ id, slug }) => (id === null ? [slug] : []))
        const named =
          nameless.length === 0
            ? []
            : yield* sql<{ id: number; slug: string }>`select id, slug from game where slug = any(${nameless}::text[])`
        const bySlug = new Map(named.map(({ id, slug }) => [slug, id]))
        const told = news.flatMap((each): ReadonlyArray<GameNews> => {
          const id = each.id ?? bySlug.get(each.slug)
          return id === undefined ? [] : [{ ...each, id }]
        })
        if (told.length === 0) return
        const fresh = told.map(({ id, slug, league, home, away }) => ({
          id,
          slug,
          league,
          home,
          away,
          home_team: null,
          away_team: null,
          starts_at: null,
        }))
        yield* addFixtures(sql, fresh)
        const games = yield* lock([...new Set(told.map(({ id }) => id))])
        for (const each of told) {
          const before = games.get(each.id)
          const verdict = hearLive(before?.known, each, now)
          if (verdict === undefined || before === undefined) {
            yield* Metric.update(ignored, 1)
            continue
          }
          games.set(each.id, { ...before, known: verdict.next })
          yield* save(verdict.next)
          if (verdict.announced) yield* announce(verdict, before.slug, each.at ?? now)
        }
      }),
  }
})
