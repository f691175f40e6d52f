import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "./support/following.ts"
import { assertEqualsTruth } from "./support/truth.ts"

const stores = ledger.pipe(
  Layer.provideMerge(testFoundation({ "event-log.retention": "3650d", "ledger.reorg-depth": "20" })),
)
const perBlock = 2_000

layer(stores, { excludeTestServices: true })("A backfill of a chain that grows with every request", (it) => {
  it.effect("reaches the head, restores all indexes and can be rolled back", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(46, { rate: 4 })
      simulation.settle()
      const start = simulation.head
      const growing = Layer.effect(
        ChainNode,
        Effect.map(ChainNode, (node) =>
          ChainNode.of({
            ...node,
            logs: (range, read) =>
              Effect.ensuring(
                node.logs(range, read),
                Effect.sync(() => simulation.advance(perBlock)),
              ),
          }),
        ),
      ).pipe(Layer.provide(nodeAt(url)))
      yield* Effect.gen(function* () {
        const following = yield* startFollower
        yield* caughtUp(simulation, following)
        assert.isAbove(simulation.head, start)
        const { sql } = yield* Postgres
        assert.lengthOf(yield* sql`select from deferred_index`, 0)
        assert.lengthOf(
          yield* sql`select from pg_class where 'autovacuum_analyze_threshold=1000000' = any(reloptions)`,
          0,
        )
        simulation.reorg(15)
        simulation.settle()
        yield* caughtUp(simulation, following)
        yield* assertEqualsTruth(simulation)
        assert.deepStrictEqual(
          (yield* verifyLedger).filter(({ ok }) => !ok),
          [],
        )
      }).pipe(Effect.provide(growing))
    }),
  )
})
