import { Effect, Layer } from "effect"
import { followChain } from "#src/ledger/follow.ts"
import { followerLease } from "#src/ledger/pauseFollower.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { Dice } from "#src/simulator/random.ts"
import type { SimulatorOptions } from "#src/simulator/start.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, nodeAt } from "./following.ts"

/** Starts a follower with its production lease. */
export const startFollower = Effect.gen(function* () {
  const lease = yield* (yield* Leases).seize(followerLease)
  return yield* Effect.forkScoped(followChain(lease))
})

/** Follows a history, then single blocks with reorganisations, until the world is settled. */
export const livedThrough = (worldSeed: number, more: Partial<SimulatorOptions> = {}) =>
  Effect.gen(function* () {
    const dice = new Dice(worldSeed)
    const { url, simulation } = yield* runningVenue(worldSeed, more)
    simulation.settle()
    const node = yield* Layer.build(nodeAt(url))
    const following = yield* Effect.provide(startFollower, node)
    yield* caughtUp(simulation, following)
    for (let round = 0; round < 4; round++) {
      simulation.advance(dice.between(5_000, 40_000))
      if (dice.chance(0.6)) simulation.reorg(dice.between(1, 20))
      yield* caughtUp(simulation, following)
    }
    simulation.settle()
    yield* caughtUp(simulation, following)
    return { url, simulation, following, node }
  })
