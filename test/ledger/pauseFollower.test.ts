import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { Ledger } from "#src/ledger/Ledger.ts"
import { pauseFollower } from "#src/ledger/pauseFollower.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { followedHistory } from "./support/followedHistory.ts"
import { caughtUp, followerOf, ledger, nodeAt } from "./support/following.ts"

const lines: Array<string> = []
const recordingLogger = Logger.layer([Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))])

const seed = 71

const stores = ledger.pipe(
  Layer.provideMerge(testFoundation({ "postgres.lock-timeout": "2s" }, [], followedHistory(seed))),
)

layer(stores, { excludeTestServices: true })("pauseFollower", (it) => {
  it.effect("makes the follower wait, log that once, and continue afterwards", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(seed)
      simulation.settle()
      yield* Effect.gen(function* () {
        const following = yield* followerOf("chain-follower")
        yield* caughtUp(simulation, following)
        const { sql, tx } = yield* Postgres
        const [taken, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const command = yield* Effect.forkScoped(
          tx(
            pauseFollower(sql).pipe(
              Effect.andThen(Deferred.succeed(taken, undefined)),
              Effect.andThen(Deferred.await(done)),
            ),
          ),
        )
        yield* Deferred.await(taken)
        const before = yield* (yield* Ledger).cursor
        simulation.advance(10_000)
        const pauseLines = () => lines.filter((line) => line.includes("a command is working on it"))
        yield* eventually(
          "the follower logs that it is paused",
          Effect.sync(() => pauseLines().length > 0),
        )
        assert.deepStrictEqual(yield* (yield* Ledger).cursor, before)
        yield* Deferred.succeed(done, undefined)
        yield* Fiber.join(command)
        yield* caughtUp(simulation, following)
        assert.lengthOf(pauseLines(), 1)
      }).pipe(Effect.provide(Layer.merge(nodeAt(url), recordingLogger)))
    }),
  )
})
