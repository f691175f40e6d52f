import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { advanceBuilders } from "#src/builders/advance.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Progress } from "#src/ledger/Progress.ts"
import { refreshMarketStats } from "#src/market-stats/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { rewindLedger } from "#src/repair/rewind.ts"
import { verifyLedger } from "#src/repair/verify.ts"
import { advanceRollups } from "#src/rollups/advance.ts"
import { assertEveryFactPublished } from "#test/ledger/support/folded.ts"
import { caughtUp, ledger, nodeAt } from "#test/ledger/support/following.ts"
import { livedDatabase, livingOn, sharedSeed, startFollower } from "#test/ledger/support/livedThrough.ts"
import { assertEqualsTruth } from "#test/ledger/support/truth.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { command } from "./support/command.ts"

const depth = 40
/** Blocks that rollups have counted are replaced too. */
const tooDeep = 290
const settings = { "event-log.retention": "3650d", "ledger.reorg-depth": String(depth) }

class Lived extends Context.Service<Lived, Effect.Success<ReturnType<typeof livingOn>>>()("test/repair/Lived") {}

const world = Layer.effect(Lived, livingOn()).pipe(
  Layer.provideMerge(Layer.merge(ledger, Progress.layer)),
  Layer.provideMerge(testFoundation(settings, [], livedDatabase())),
)

/** Everything that is counted from the facts. */
const countAll = Effect.all([refreshLeaderboards, advanceRollups, refreshMarketStats, advanceBuilders], {
  discard: true,
})

const assertSound = Effect.map(verifyLedger, (checks) =>
  assert.deepStrictEqual(
    checks.filter(({ ok }) => !ok),
    [],
  ),
)

const untilHalted = (reason: string) =>
  Effect.flatMap(Progress, (progress) =>
    eventually(
      `the ledger says: ${reason}`,
      Effect.map(progress.ledger, (now) => now?.halted?.includes(reason) === true),
    ),
  )

const cursorRow = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(sql<{ row: string }>`select concat(block, ' ', hash) as row from chain_cursor`, ([found]) => found?.row),
)

const oldestBlock = Effect.flatMap(Postgres, ({ sql }) =>
  Effect.map(sql<{ number: number }>`select min(number) as number from block`, ([found]) => found?.number ?? 0),
)

const rewindCommand = (url: string, ...more: ReadonlyArray<string>) =>
  command(["ledger", "rewind", "--json", ...more], {
    UPSTREAM_SIMULATOR_URL: url,
    LEDGER_REORG_DEPTH: String(depth),
    EVENT_LOG_RETENTION: "3650d",
  })

layer(world, { excludeTestServices: true })("A reorganisation deeper than the ledger follows", (it) => {
  it.effect("halts the ledger until it is rewound, and then it continues by itself and equals the chain", () =>
    Effect.gen(function* () {
      const { url, simulation, following } = yield* Lived
      yield* countAll
      yield* assertSound
      const before = simulation.head
      simulation.reorg(tooDeep)
      simulation.advance(20_000)
      yield* untilHalted("run 'presage ledger rewind'")

      const { code, out, err } = yield* rewindCommand(url)
      assert.strictEqual(code, 0, err)
      const rewound = JSON.parse(out)
      assert.strictEqual(rewound.from, before)
      assert.isAtMost(rewound.to, before - tooDeep)
      assert.isAbove(rewound.events_retracted, 0)

      yield* caughtUp(simulation, following)
      simulation.settle()
      yield* caughtUp(simulation, following)
      yield* assertEqualsTruth(simulation)
      yield* assertEveryFactPublished
      yield* assertSound
      yield* countAll
      yield* assertSound
    }),
  )

  it.effect("is rewound to a given block, and refused where that makes no sense", () =>
    Effect.gen(function* () {
      const { simulation, following, node } = yield* Lived
      yield* Effect.gen(function* () {
        const reasonOf = (to?: number) => Effect.map(Effect.flip(rewindLedger({ to })), ({ message }) => message)
        assert.include(yield* reasonOf(), "nothing is to be rewound")
        assert.include(yield* reasonOf(simulation.head), "--to must be from")
        const early = yield* reasonOf(1)
        assert.include(early, "--to must be from")
        const first = Number(/from (\d+)/.exec(early)?.[1])
        const oldest = yield* oldestBlock
        // Not every block is stored.
        assert.isBelow(first, oldest)
        assert.strictEqual(
          yield* reasonOf(first),
          `no block from ${first} to ${first} is stored: the first one is --to ${oldest}`,
        )
        const to = simulation.head - 100
        const rewound = yield* rewindLedger({ to })
        assert.isAtMost(rewound.to, to)
        yield* caughtUp(simulation, following)
        yield* assertEqualsTruth(simulation)
        yield* assertEveryFactPublished
        yield* assertSound
      }).pipe(Effect.provide(node))
    }),
  )

  it.effect(
    "is distinguished from another chain, which a venue without its journal has: the ledger stays as it is",
    () =>
      Effect.gen(function* () {
        const { following } = yield* Lived
        yield* Fiber.interrupt(following)
        const before = yield* cursorRow
        const genesis = 1_794_700_800_000 + 86_400_000
        const other = yield* runningVenue(sharedSeed, { genesis, clock: () => genesis })
        const node = yield* Layer.build(nodeAt(other.url))
        yield* Effect.provide(startFollower, node)
        yield* untilHalted("the node has another chain than the ledger was read from")
        assert.include((yield* rewindCommand(other.url)).err, "this is another chain")
        assert.strictEqual(yield* cursorRow, before)
        yield* assertSound
      }),
  )
})
