import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "./support/following.ts"

/** The simulated node calls blocks final with so many after them. */
const finalDepth = 32

layer(Layer.provideMerge(ledger, testFoundation({ "ledger.reorg-depth": "40" })), { excludeTestServices: true })(
  "The follower of the chain",
  (it) => {
    it.effect("records the block that the node calls final once the ledger has it", () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(96)
        simulation.settle()
        const { sql } = yield* Postgres
        const finalized = Effect.map(
          sql<{ finalized: number | null }>`select finalized from chain_cursor`,
          ([row]) => row?.finalized,
        )
        yield* Effect.gen(function* () {
          yield* caughtUp(simulation, yield* startFollower)
          const final = simulation.head - finalDepth
          yield* eventually(
            "the final block is recorded",
            Effect.map(finalized, (block) => block === final),
          )
          assert.strictEqual(yield* finalized, final)
        }).pipe(Effect.provide(nodeAt(url)))
      }),
    )
  },
)
