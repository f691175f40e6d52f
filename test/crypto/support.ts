import { Clock, Effect, Layer } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { catalogueWriter } from "#src/catalogue/CatalogueWriter.ts"
import { cryptoServices } from "#src/roles/Reading.ts"
import { type Coin, coins, type TickSource } from "#src/domain/Tick.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { coins as simulatedCoins } from "#src/simulator/world/oracle.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { testFoundation } from "#test/support/TestStores.ts"

export const foundation = TickStore.layer.pipe(
  Layer.provideMerge(testFoundation({ "catalogue.closed-window": "4h", "catalogue.page": "500" })),
)

/** A venue that stands still, its catalogue, and what is under test, in the venue's time. */
export const cryptoVenue = (seed: number) =>
  Effect.gen(function* () {
    const venue = yield* followedVenue(seed)
    const { simulation } = venue
    const clock = clockShowing(() => simulation.now(), yield* Clock.Clock)
    const { tx } = yield* Postgres
    const services = yield* Layer.build(cryptoServices.pipe(Layer.provide(venue.upstreams)))
    return {
      ...venue,
      /** The whole catalogue of what is open. */
      load: Effect.flatMap(catalogueLoader(tx), ({ references, sweep }) => Effect.andThen(references, sweep)).pipe(
        Effect.provide(venue.upstreams),
      ),
      /** Some events as they stand, open or closed. */
      loadNamed: Effect.fnUntraced(function* (slugs: ReadonlyArray<string>) {
        const gamma = yield* Gamma
        const write = yield* catalogueWriter(tx)
        for (let from = 0; from < slugs.length; from += 50) {
          const page = yield* gamma.events({ slugs: slugs.slice(from, from + 50) }, { limit: 50 })
          yield* write({ events: page.items, askedAt: simulation.now() })
        }
      }, Effect.provide(venue.upstreams)),
      /** Asks a service in the venue's time. */
      ask: <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.provideService(work, Clock.Clock, clock).pipe(Effect.provide(services)),
    }
  })

export const secondsOf = (simulation: Simulation) => Math.floor(simulation.now() / 1000)

export const oracleNumber = (coin: Coin) => simulatedCoins.findIndex(({ symbol }) => symbol === coin)

/** What a source said in the seconds from `from` up to `to`, as the simulated world has it. */
export const said = (simulation: Simulation, source: TickSource, coin: Coin, from: number, to: number) => {
  const { oracle } = simulation.model.world
  const number = oracleNumber(coin)
  return Array.from({ length: to - from }, (_, i) => from + i).flatMap((second) => {
    const price =
      source === "oracle_data_streams" ? oracle.tick(number, second)?.price : oracle.platformPrice(number, second)
    return price === undefined ? [] : [{ second, price: BigInt(price) }]
  })
}

/** Stores what a source said, in whatever order it is given. */
export const store = (source: TickSource, coin: Coin, ticks: ReadonlyArray<{ second: number; price: bigint }>) =>
  Effect.gen(function* () {
    const lease = yield* (yield* Leases).seize(`test/${source}`)
    const rows = ticks.map(({ second, price }) => ({
      coin,
      at: second * 1000,
      price,
      bid: price - 1n,
      ask: price + 1n,
      receivedAt: second * 1000 + 20,
    }))
    yield* (yield* TickStore).record(lease, source, { ticks: rows, settled: [] })
  })

/** What a source said of all coins; of some seconds only, where the others do not matter. */
export const storeAll = (
  simulation: Simulation,
  source: TickSource,
  from: number,
  to: number,
  matters: (second: number) => boolean = () => true,
) =>
  Effect.forEach(
    coins,
    (coin) =>
      store(
        source,
        coin,
        said(simulation, source, coin, from, to).filter(({ second }) => matters(second)),
      ),
    { discard: true },
  )

export const clearTicks = Effect.flatMap(Postgres, ({ sql }) => sql`truncate tick, tick_gap, tick_coverage`)

export const clearCatalogue = Effect.flatMap(
  Postgres,
  ({ sql }) => sql`truncate event, market, series, catalogue_progress cascade`,
)
