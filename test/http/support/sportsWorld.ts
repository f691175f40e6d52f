import { Clock, Context, Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { BookCache } from "#src/books/BookCache.ts"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { gameStateAt } from "#src/simulator/gamma/game.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { serving } from "./serving.ts"

/** A venue with games, whose clock the API shows. */
export class SportsVenue extends Context.Service<SportsVenue, Effect.Success<ReturnType<typeof followedVenue>>>()(
  "test/http/SportsVenue",
) {}

const clock = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const { now } = yield* SportsVenue
    return clockShowing(now, yield* Clock.Clock)
  }),
)

export const sportsWorld = (seed: number, flags: Record<string, string> = {}) =>
  ApiServer.pipe(
    Layer.provideMerge(Layer.merge(serving, BookCache.layer)),
    // Not for the stores and actors: their leases would end with every move of the clock.
    Layer.provide(clock),
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(SportsVenue, ({ url }) =>
          testFoundation({
            port: "0",
            host: "127.0.0.1",
            "sim.port": new URL(url).port,
            "catalogue.page": "500",
            "upstream.gamma.rate": "5000",
            ...flags,
          }),
        ),
      ),
    ),
    Layer.provideMerge(Layer.effect(SportsVenue, followedVenue(seed))),
  )

/** Reads the whole catalogue of the venue once. */
export const loadCatalogue = Effect.gen(function* () {
  const { upstreams } = yield* SportsVenue
  const { tx } = yield* Postgres
  yield* Effect.flatMap(catalogueLoader(tx), ({ references, sweep }) => Effect.andThen(references, sweep)).pipe(
    Effect.provide(upstreams),
  )
})

export type VenueEvent = Simulation["model"]["world"]["venue"]["events"][number]

/** The venue's listed events of games; the first of a game names it. */
export const eventsOf = ({ model }: Simulation): ReadonlyArray<VenueEvent> =>
  model.world.venue.events.filter(({ plan }) => plan.game !== undefined)

export const mainEvents = (simulation: Simulation): ReadonlyArray<VenueEvent> => [
  ...new Map(
    eventsOf(simulation)
      .toReversed()
      .map((event) => [event.plan.game?.id, event]),
  ).values(),
]

/** What the venue says about a game now. */
export const truthOf = ({ plan: { game } }: VenueEvent, now: number) => {
  if (game === undefined) throw new Error("the event is no game")
  const { gameStatus, score, period } = gameStateAt(game, now)
  const status = { InProgress: "live", finished: "ended" }[gameStatus] ?? gameStatus
  return { status, score: score ?? null, period: period ?? null }
}
