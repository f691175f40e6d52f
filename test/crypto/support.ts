import { Clock, Effect, Layer } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { catalogueWriter } from "#src/catalogue/CatalogueWriter.ts"
import { type Coin, coins, type TickSource } from "#src/domain/Tick.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { cryptoServices } from "#src/roles/Reading.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { coins as simulatedCoins } from "#src/simulator/world/oracle.ts"
import { TickStore } from "#src/ticks/TickStore.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { clockShowing } from "#test/support/clockShowing.ts"
import { quoteOf } from "#test/support/quoteOf.ts"
import { testFoundation } from "#test/support/TestStores.ts"

export const foundation = TickStore.layer.pipe(
  Layer.provideMerge(testFoundation({ "catalogue.closed-window": "4h", "catalogue.page": "500" })),
)

/** A frozen venue, its catalogue and the crypto services, on the venue's clock. */
export const cryptoVenue = (seed: number) =>
  Effect.gen(function* () {
    const venue = yield* followedVenue(seed)
    const { simulation } = venue
    const clock = clockShowing(() => simulation.now(), yield* Clock.Clock)
    const { tx } = yield* Postgres
    const services = yield* Layer.build(cryptoServices.pipe(Layer.provide(venue.upstreams)))
    return {
      ...venue,
      /** Loads all open events. */
      load: Effect.flatMap(catalogueLoader(tx), ({ references, sweep }) => Effect.andThen(references, sweep)).pipe(
        Effect.provide(venue.upstreams),
      ),
      /** Loads events in their current state, open or closed. */
      loadNamed: Effect.fnUntraced(function* (slugs: ReadonlyArray<string>) {
        const gamma = yield* Gamma
        const write = yield* catalogueWriter(tx)
        for (let from = 0; from < slugs.length; from += 50) {
          const page = yield* gamma.events({ slugs: slugs.slice(from, from + 50) }, { limit: 50 })
          yield* write({ events: page.items, requestedAt: simulation.now() })
        }
      }, Effect.provide(venue.upstreams)),
      /** Runs an effect with the services on the venue's clock. */
      ask: <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.provideService(work, Clock.Clock, clock).pipe(Effect.provide(services)),
    }
  })

export const secondsOf = (simulation: Simulation) => Math.floor(simulation.now() / 1000)

export const oracleNumber = (coin: Coin) => simulatedCoins.findIndex(({ symbol }) => symbol === coin)

/** Simulated ticks of a source, `from` inclusive, `to` exclusive. */
export const simulatedTicks = (simulation: Simulation, source: TickSource, coin: Coin, from: number, to: number) => {
  const { oracle } = simulation.model.world
  const number = oracleNumber(coin)
  return Array.from({ length: to - from }, (_, i) => from + i).flatMap((second) => {
    const price =
      source === "oracle_data_streams" ? oracle.tick(number, second)?.price : oracle.platformPrice(number, second)
    return price === undefined ? [] : [{ second, price: BigInt(price) }]
  })
}

/** Stores ticks of a source in the given order. */
export const store = (source: TickSource, coin: Coin, ticks: ReadonlyArray<{ second: number; price: bigint }>) =>
  Effect.gen(function* () {
    const lease = yield* (yield* Leases).seize(`test/${source}`)
    const rows = ticks.map(({ second, price }) => ({
      coin,
      at: second * 1000,
      ...quoteOf(price, price - 1n, price + 1n),
      receivedAt: second * 1000 + 20,
    }))
    yield* (yield* TickStore).record(lease, source, { ticks: rows, settled: [] })
  })

/** Stores a source's ticks of all coins for the seconds that matter. */
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
        simulatedTicks(simulation, source, coin, from, to).filter(({ second }) => matters(second)),
      ),
    { discard: true },
  )

export const clearTicks = Effect.flatMap(Postgres, ({ sql }) => sql`truncate tick, tick_gap, tick_coverage`)

export const clearCatalogue = Effect.flatMap(
  Postgres,
  ({ sql }) => sql`truncate event, market, series, catalogue_progress cascade`,
)
