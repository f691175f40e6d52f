import { Effect, Fiber, Layer, Option } from "effect"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { leaderboardRollback } from "#src/leaderboards/retraction.ts"
import { followChain } from "#src/ledger/follow.ts"
import { Ledger } from "#src/ledger/Ledger.ts"
import { Leases } from "#src/mesh/Lease.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { looks } from "#test/support/eventually.ts"
import { patience } from "#test/support/patience.ts"
import { upstreamsAt } from "#test/support/venue.ts"

export const ledger = Ledger.layer.pipe(Layer.provide(leaderboardRollback), Layer.provideMerge(Dictionary.layer))

export const nodeAt = (url: string) => ChainNode.layer.pipe(Layer.provide(upstreamsAt(url)))

/** Starts a follower with its own lease, as a process that takes over does. */
export const followerOf = (name: string) =>
  Effect.gen(function* () {
    const leases = yield* Leases
    const lease = yield* leases.seize(name)
    return yield* Effect.forkScoped(followChain(lease))
  })

export const startFollower = followerOf("chain")

/** Waits until the ledger has the newest block, by number and hash; fails if the follower fails. */
export const caughtUp = (simulation: Simulation, following: Fiber.Fiber<void, unknown>) =>
  Effect.gen(function* () {
    const { cursor } = yield* Ledger
    const isAtHead = Effect.map(
      cursor,
      Option.match({
        onNone: () => false,
        onSome: ({ block, hash }) =>
          block === simulation.head && `0x${hash}` === simulation.chain.hashOf(simulation.head),
      }),
    )
    yield* Effect.raceFirst(
      Effect.repeat(isAtHead, { until: (yes) => yes, schedule: looks }),
      Fiber.join(following),
    ).pipe(Effect.timeout(patience))
  })

/** What happens to a world after its history. */
export const laterLife: ReadonlyArray<(simulation: Simulation) => void> = [
  (simulation) => simulation.advance(20_000),
  (simulation) => {
    simulation.reorg(8)
    simulation.advance(20_000)
    simulation.settle()
  },
]

/** Follows a world through its history and later life, and does something before each step. */
export const followLife = <E, R>(url: string, simulation: Simulation, before: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const following = yield* startFollower
    yield* caughtUp(simulation, following)
    for (const step of laterLife) {
      yield* before
      step(simulation)
      yield* caughtUp(simulation, following)
    }
  }).pipe(Effect.provide(nodeAt(url)), Effect.scoped)
