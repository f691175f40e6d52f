import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { Ledger } from "#src/ledger/Ledger.ts"
import { Progress } from "#src/ledger/Progress.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "./support/following.ts"
import { livedDatabase, livedVenue } from "./support/livedThrough.ts"
import { assertEqualsTruth } from "./support/truth.ts"

const depth = 20
/** More blocks than may still be replaced. */
const longDowntime = 3 * 60_000

class Venue extends Context.Service<Venue, Effect.Success<ReturnType<typeof livedVenue>>>()("test/ledger/Venue") {}

/** The tests share a venue and a ledger that followed it. */
const world = Layer.mergeAll(ledger, Progress.layer, Layer.effect(Venue, livedVenue())).pipe(
  Layer.provideMerge(
    testFoundation({ "event-log.retention": "3650d", "ledger.reorg-depth": String(depth) }, [], livedDatabase()),
  ),
)

const reorgs = Effect.flatMap(Postgres, ({ sql }) => sql`select 1 from event_log where kind = 'reorg'`)

layer(world, { excludeTestServices: true })("A reorganisation while no follower runs", (it) => {
  it.effect("is detected although the replaced blocks are finalized by now", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* Venue
      yield* Effect.gen(function* () {
        const earlier = (yield* reorgs).length
        const before = yield* startFollower
        yield* caughtUp(simulation, before)
        simulation.advance(40_000)
        yield* caughtUp(simulation, before)
        yield* Fiber.interrupt(before)
        simulation.reorg(5)
        simulation.advance(longDowntime)
        simulation.settle()
        const after = yield* startFollower
        yield* caughtUp(simulation, after)
        yield* assertEqualsTruth(simulation)
        assert.strictEqual((yield* reorgs).length, earlier + 1)
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )

  it.effect(
    "halts the ledger, which reports that and stays unchanged while the chain grows, if it is deeper than the limit",
    () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* Venue
        simulation.settle()
        yield* Effect.gen(function* () {
          const store = yield* Ledger
          const progress = yield* Progress
          const following = yield* startFollower
          yield* caughtUp(simulation, following)
          yield* Fiber.interrupt(following)
          const before = yield* store.cursor
          simulation.reorg(depth + 30)
          simulation.advance(longDowntime)
          yield* startFollower
          yield* eventually(
            "the ledger reports that it is halted",
            Effect.map(progress.ledger, (now) => now?.halted?.includes(`deeper than ${depth} blocks`) === true),
          )
          assert.deepStrictEqual(Option.getOrThrow(yield* store.cursor), Option.getOrThrow(before))
        }).pipe(Effect.provide(nodeAt(url)))
      }),
  )
})
