import { Effect, Layer } from "effect"
import type * as Redacted from "effect/Redacted"
import { followChain } from "#src/ledger/follow.ts"
import { followerLease } from "#src/ledger/pauseFollower.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Dice } from "#src/simulator/random.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import type { SimulatorOptions } from "#src/simulator/start.ts"
import { copyOfFilled, testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { historyDatabase } from "./followedHistory.ts"
import { caughtUp, ledger, nodeAt } from "./following.ts"

/** Starts a follower with its production lease. */
export const startFollower = Effect.gen(function* () {
  const lease = yield* (yield* Leases).seize(followerLease)
  return yield* Effect.forkScoped(followChain(lease))
})

/** What happens to a world after its history: single blocks with reorganisations, until it is settled. */
const stepsOf = (worldSeed: number): ReadonlyArray<(simulation: Simulation) => void> => {
  const dice = new Dice(worldSeed)
  const rounds = Array.from({ length: 4 }, () => {
    const millis = dice.between(5_000, 40_000)
    const depth = dice.chance(0.6) ? dice.between(1, 20) : undefined
    return (simulation: Simulation) => {
      simulation.advance(millis)
      if (depth !== undefined) simulation.reorg(depth)
    }
  })
  return [...rounds, (simulation) => simulation.settle()]
}

/** Follows a history, then single blocks with reorganisations, until the world is settled. */
export const livedThrough = (worldSeed: number, more: Partial<SimulatorOptions> = {}) =>
  Effect.gen(function* () {
    const { url, simulation } = yield* runningVenue(worldSeed, more)
    simulation.settle()
    const node = yield* Layer.build(nodeAt(url))
    const following = yield* Effect.provide(startFollower, node)
    yield* caughtUp(simulation, following)
    for (const step of stepsOf(worldSeed)) {
      step(simulation)
      yield* caughtUp(simulation, following)
    }
    return { url, simulation, following, node }
  })

const isSoak = process.env.PRESAGE_SOAK === "1"

/** A world that several test files share. */
export const sharedSeed = 71
const sharedOptions: Partial<SimulatorOptions> = { scale: isSoak ? "tiny" : "brief", rate: isSoak ? 20 : 4 }

const fill = (worldSeed: number) => (database: Redacted.Redacted) =>
  Effect.provide(
    Effect.scoped(livedThrough(worldSeed, sharedOptions)),
    Layer.provideMerge(ledger, testFoundation({ "event-log.retention": "3650d" }, [], Effect.succeed(database))),
  )

/** A database with a ledger that lived through such a world; it is filled once for all test files. */
export const livedDatabase = (worldSeed = sharedSeed) =>
  copyOfFilled(`through_${worldSeed}`, fill(worldSeed), isSoak ? undefined : historyDatabase(worldSeed))

/** The venue that `livedDatabase` followed, at the moment at which that ended. */
export const livedVenue = (worldSeed = sharedSeed) =>
  Effect.tap(runningVenue(worldSeed, sharedOptions), ({ simulation }) =>
    Effect.sync(() => {
      simulation.settle()
      for (const step of stepsOf(worldSeed)) step(simulation)
    }),
  )

/** Goes on following the venue of `livedDatabase`. */
export const livingOn = (worldSeed = sharedSeed) =>
  Effect.gen(function* () {
    const { url, simulation } = yield* livedVenue(worldSeed)
    const node = yield* Layer.build(nodeAt(url))
    const following = yield* Effect.provide(startFollower, node)
    yield* caughtUp(simulation, following)
    return { url, simulation, following, node }
  })
