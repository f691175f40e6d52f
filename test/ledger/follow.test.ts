import { layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Schedule } from "effect"
import { Dictionary } from "#src/ledger/Dictionary.ts"
import { followChain } from "#src/ledger/follow.ts"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { Leases } from "#src/mesh/Lease.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue, upstreamsAt } from "#test/support/venue.ts"
import { assertEqualsTruth } from "./truth.ts"

const ledger = LedgerStore.layer.pipe(Layer.provideMerge(Dictionary.layer))

const follower = Effect.gen(function* () {
  const leases = yield* Leases
  return yield* followChain(yield* leases.seize("chain"))
})

layer(ledger.pipe(Layer.provideMerge(testFoundation())), { excludeTestServices: true })("The chain follower", (it) => {
  it.effect("reads the whole history, then follows, and has exactly what the venue's books have", () =>
    Effect.gen(function* () {
      const { url, simulation, until } = yield* runningVenue(31)
      simulation.settle()
      yield* Effect.gen(function* () {
        const store = yield* LedgerStore
        const following = yield* Effect.forkChild(follower)
        const isAtHead = Effect.map(
          store.cursor,
          Option.match({ onNone: () => false, onSome: ({ block }) => block >= simulation.head }),
        )
        const caughtUp = Effect.gen(function* () {
          yield* Effect.raceFirst(
            Effect.repeat(isAtHead, { until: (yes) => yes, schedule: Schedule.spaced("50 millis") }),
            Fiber.join(following),
          ).pipe(Effect.timeout("60 seconds"))
        })
        yield* caughtUp
        yield* assertEqualsTruth(simulation)
        simulation.advance(120_000)
        simulation.settle()
        yield* caughtUp
        yield* assertEqualsTruth(simulation)
        yield* Fiber.interrupt(following)
      }).pipe(Effect.provide(ChainNode.layer.pipe(Layer.provide(upstreamsAt(url)))))
      yield* until("no fault", () => true)
    }),
  )
})
