import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { gameStateAt } from "#src/simulator/gamma/game.ts"
import { publicGameId } from "#src/simulator/gamma/gameIds.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { becomesSame, faultHits, followedVenue, loaded, logged } from "./support/follower.ts"

const minute = 60_000

interface ScoreEvent {
  readonly game: string
  readonly score: string | null
  readonly period: string | null
  readonly status: string | null
  readonly at: number
}

const announced = Effect.map(logged("score"), (events) => events.map(({ data }) => data as ScoreEvent))

type Game = Parameters<typeof gameStateAt>[0]

const gamesOf = ({ model }: Simulation): Iterable<Game> =>
  new Map(
    model.world.venue.events.flatMap(({ plan }) => (plan.game ? [[plan.game.id, plan.game] as const] : [])),
  ).values()

const stateText = (game: Game, at: number) => {
  const { score, period, gameStatus } = gameStateAt(game, at)
  return JSON.stringify([score ?? null, period ?? null, gameStatus.toLowerCase()])
}

const momentsOf = (game: Game) => [game.startsAt - 10 * minute, game.startsAt, ...game.scores.map(({ at }) => at)]

/** When a state began: most messages have no time. */
const firstMoment = (games: ReadonlyArray<Game>, event: ScoreEvent | undefined, to: number) => {
  const game = games.find((each) => publicGameId(each) === event?.game)
  const text = JSON.stringify([event?.score, event?.period, event?.status])
  const moments = game === undefined ? [] : momentsOf(game).filter((at) => at <= to && stateText(game, at) === text)
  return Math.min(...moments)
}

/** The successive distinct states of a game in a period. */
const statesBetween = (game: Game, from: number, to: number) => {
  const moments = momentsOf(game)
  const states = moments.filter((at) => at >= from && at <= to).map((at) => stateText(game, at))
  return states.filter((state, index) => state !== states[index - 1])
}

/** A world in which a basketball game begins soon. */
const gameDay = Effect.tap(followedVenue(35), ({ simulation }) => Effect.sync(() => simulation.advance(80 * minute)))

layer(testFoundation(), { excludeTestServices: true })("Live scores", (it) => {
  it.effect(
    "every change of score, period or status is stored and announced once, in order",
    () =>
      Effect.gen(function* () {
        const { simulation, scores } = yield* gameDay
        yield* Effect.gen(function* () {
          // The feed only receives what happens after it has connected.
          const isReceived = Effect.map(announced, ({ length }) => {
            if (length === 0) simulation.advance(minute)
            return length > 0
          })
          yield* eventually("a score is announced", isReceived, "30 seconds")
          const [first] = yield* announced
          simulation.advance(180 * minute)
          const from = firstMoment([...gamesOf(simulation)], first, simulation.now())
          const expected = [...gamesOf(simulation)].flatMap((game) => {
            const states = statesBetween(game, from, simulation.now())
            return states.length === 0 ? [] : [[publicGameId(game), states] as const]
          })
          const number = expected.reduce((sum, [, states]) => sum + states.length, 0)
          assert.isAbove(number, 50)
          const enough = Effect.map(announced, ({ length }) => length >= number)
          yield* eventually(`${number} changes are announced`, enough, "20 seconds")
          const byGame = new Map<string, Array<string>>()
          for (const { game, score, period, status } of yield* announced)
            byGame.set(game, [...(byGame.get(game) ?? []), JSON.stringify([score, period, status])])
          assert.deepStrictEqual(byGame, new Map(expected.map(([id, states]) => [id, [...states]])))

          const { sql } = yield* Postgres
          const rows = yield* sql<{ id: string; score: string | null; period: string | null; status: string }>`
            select id, score, period, status from game`
          assert.strictEqual(rows.length, byGame.size)
          for (const { id, score, period, status } of rows)
            assert.strictEqual(JSON.stringify([score, period, status]), byGame.get(id)?.at(-1))
        }).pipe(Effect.provide(scores))
      }),
    600_000,
  )
})

const quick = {
  "catalogue.sweep-every": "6s",
  "catalogue.news-every": "2s",
  "catalogue.closed-window": "1h",
  "upstream.gamma.rate": "5000",
}

layer(testFoundation(quick), { excludeTestServices: true })("Live scores over a faulty socket", (it) => {
  it.effect(
    "scores converge to the catalogue despite garbled, repeated, reordered and lost messages",
    () =>
      Effect.gen(function* () {
        const { url, simulation, both, catalogue, now } = yield* gameDay
        const startedAt = now()
        for (const kind of [
          "duplicate",
          "reorder",
          "garbage",
          "truncated",
          "wrong_types",
          "disconnect",
          "clock_skew",
        ]) {
          const delay = kind === "reorder" ? { delay_ms: 100 } : {}
          const body = JSON.stringify({ upstream: "sports", channel: "socket", share: 0.05, kind, ...delay })
          const response = yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body }))
          assert.isTrue(response.ok, kind)
        }
        yield* Effect.gen(function* () {
          yield* loaded
          for (let step = 0; step < 120; step++) {
            simulation.advance(minute)
            yield* announced
          }
          const hits = [...(yield* faultHits(url)).values()]
          assert.isAbove(
            hits.reduce((sum, each) => sum + each, 0),
            5,
          )
          yield* becomesSame(catalogue(), "50 seconds", startedAt)
        }).pipe(Effect.provide(both))
      }),
    600_000,
  )
})
