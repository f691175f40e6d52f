import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Postgres } from "#src/platform/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { logged, scoresAt } from "./support/follower.ts"

interface Told {
  readonly game: number
  readonly score: string | null
  readonly period: string | null
  readonly status: string | null
}

const told = Effect.map(logged("score"), (events) => events.map(({ data }) => data as Told))

const connected = (url: string) =>
  Effect.promise(async () => {
    const state = (await (await fetch(`${url}/_sim/state`)).json()) as Record<string, unknown>
    return JSON.stringify(state)
  })

/** Games that are played while the clock goes on by so much. */
const gamesWithin = ({ made, now }: Simulation, from: number, millis: number) => {
  const games = new Map(
    made.world.venue.events.flatMap(({ plan }) => (plan.game ? [[plan.game.id, plan.game] as const] : [])),
  )
  void now
  return [...games.values()].filter(({ startsAt, endsAt }) => startsAt < from + millis && endsAt > from)
}

layer(testFoundation(), { excludeTestServices: true })("The feed of scores", (it) => {
  it.effect("keeps every game as it stands and tells each change of score, period or status once, in order", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(35, { genesis: undefined })
      simulation.freeze()
      console.log((yield* connected(url)).slice(0, 1500))
      const games = gamesWithin(simulation, simulation.now(), 3_600_000)
      console.log(games.length)
      yield* Effect.gen(function* () {
        yield* eventually(
          "x",
          Effect.map(told, (l) => {
            simulation.advance(10_000)
            return l.length > 20
          }),
        )
      }).pipe(Effect.provide(scoresAt(url)))
      console.log((yield* told).slice(0, 5))
    }),
  )
})
