import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { holdFollower } from "#src/ledger/holdFollower.ts"
import { LedgerStore } from "#src/ledger/LedgerStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, followerOf, ledger, nodeAt } from "./following.ts"

const told: Array<string> = []
const listening = Logger.layer([Logger.make<unknown, void>(({ message }) => void told.push(String(message)))])

const stores = ledger.pipe(Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "100ms" })))

layer(stores, { excludeTestServices: true })("A ledger that a command works on", (it) => {
  it.effect("makes its follower wait, say so once, and then go on", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(71)
      simulation.settle()
      yield* Effect.gen(function* () {
        const following = yield* followerOf("chain-follower")
        yield* caughtUp(simulation, following)
        const { sql, tx } = yield* Postgres
        const [taken, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const command = yield* Effect.forkScoped(
          tx(
            holdFollower(sql).pipe(
              Effect.andThen(Deferred.succeed(taken, undefined)),
              Effect.andThen(Deferred.await(done)),
            ),
          ),
        )
        yield* Deferred.await(taken)
        const before = yield* (yield* LedgerStore).cursor
        simulation.advance(10_000)
        const saying = () => told.filter((line) => line.includes("a command is working on it"))
        yield* eventually(
          "the follower says that it waits",
          Effect.sync(() => saying().length > 0),
        )
        assert.deepStrictEqual(yield* (yield* LedgerStore).cursor, before)
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(command)
        yield* caughtUp(simulation, following)
        assert.lengthOf(saying(), 1)
      }).pipe(Effect.provide(Layer.merge(nodeAt(url), listening)))
    }),
  )
})
