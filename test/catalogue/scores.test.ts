import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import { gameStateAt } from "#src/simulator/gamma/game.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { becomesSame, followedVenue, loaded, logged } from "./support/follower.ts"

const minute = 60_000

interface Told {
  readonly game: number
  readonly score: string | null
  readonly period: string | null
  readonly status: string | null
}

const told = Effect.map(logged("score"), (events) => events.map(({ data }) => data as Told))

const gamesOf = ({ made }: Simulation) =>
  new Map(made.world.venue.events.flatMap(({ plan }) => (plan.game ? [[plan.game.id, plan.game] as const] : [])))

type Game = Parameters<typeof gameStateAt>[0]

const standing = (game: Game, at: number) => {
  const { score, period, gameStatus } = gameStateAt(game, at)
  return JSON.stringify([score ?? null, period ?? null, gameStatus.toLowerCase()])
}

/** Every way in which a game stood after one moment and up to another, each once for as long as it lasted. */
const course = (game: Game, after: number, upTo: number) => {
  const moments = [game.startsAt - 10 * minute, game.startsAt, ...game.scores.map(({ at }) => at)]
  const states = moments.filter((at) => at > after && at <= upTo).map((at) => standing(game, at))
  return states.filter((state, place) => state !== states[place - 1])
}

layer(testFoundation(), { excludeTestServices: true })("The feed of scores", (it) => {
  it.effect(
    "keeps every game as it stands and tells each change of score, period or status once, in order",
    () =>
      Effect.gen(function* () {
        const { simulation, scores } = yield* followedVenue(35)
        yield* Effect.gen(function* () {
          // Only what happens after it is connected can be heard.
          const heard = Effect.map(told, ({ length }) => {
            if (length === 0) simulation.advance(minute)
            return length > 0
          })
          yield* eventually("something is heard of a game", heard, "30 seconds")
          const connected = simulation.now()
          const silent = new Set((yield* told).map(({ game }) => game))
          for (let step = 0; step < 12; step++) simulation.advance(10 * minute)
          const games = [...gamesOf(simulation).values()].filter(({ id }) => !silent.has(id))
          const expected = games.flatMap((game) => {
            const states = course(game, connected, simulation.now())
            return states.length === 0 ? [] : [[game.id, states] as const]
          })
          assert.isAbove(expected.length, 3)
          const number = expected.reduce((sum, [, states]) => sum + states.length, 0)
          const all = Effect.map(told, (list) => list.filter(({ game }) => !silent.has(game)))
          yield* eventually(
            `${number} changes are told`,
            Effect.map(all, ({ length }) => length >= number),
            "20 seconds",
          )
          const byGame = new Map<number, Array<string>>()
          for (const { game, score, period, status } of yield* all)
            byGame.set(game, [...(byGame.get(game) ?? []), JSON.stringify([score, period, status])])
          assert.deepStrictEqual(byGame, new Map(expected.map(([id, states]) => [id, [...states]])))

          const { sql } = yield* Postgres
          const rows = yield* sql<{ id: number; score: string | null; period: string | null; status: string }>`
            select id, score, period, status from game`
          for (const { id, score, period, status } of rows.filter((row) => byGame.has(row.id)))
            assert.strictEqual(JSON.stringify([score, period, status]), byGame.get(id)?.at(-1))
        }).pipe(Effect.provide(scores))
      }),
    90_000,
  )
})

layer(
  testFoundation({
    "catalogue.sweep-every": "500ms",
    "catalogue.news-every": "500ms",
    "catalogue.closed-window": "1h",
    "upstream.gamma.rate": "5000",
  }),
  { excludeTestServices: true },
)("The feed of scores over a socket that garbles, repeats, swaps and breaks off", (it) => {
  it.effect(
    "comes to the same as the catalogue tells it",
    () =>
      Effect.gen(function* () {
        const { url, simulation, both, catalogue, now } = yield* followedVenue(36)
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
          const answer = yield* Effect.promise(() => fetch(`${url}/_sim/faults`, { method: "POST", body }))
          assert.isTrue(answer.ok, kind)
        }
        yield* Effect.gen(function* () {
          yield* loaded
          for (let step = 0; step < 30; step++) {
            simulation.advance(2 * minute)
            yield* Effect.yieldNow
          }
          yield* becomesSame(catalogue(), "50 seconds", startedAt)
        }).pipe(Effect.provide(both))
      }),
    120_000,
  )
})
