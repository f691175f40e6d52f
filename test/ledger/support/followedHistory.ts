import { Effect, Layer } from "effect"
import type * as Redacted from "effect/Redacted"
import { copyOfFilled, filledDatabase, testFoundation } from "#test/support/TestStores.ts"
import { runningVenue } from "#test/support/venue.ts"
import { caughtUp, ledger, nodeAt, startFollower } from "./following.ts"

/** The log keeps every event, and as many blocks can be undone as any test needs. */
const flags = { "ledger.reorg-depth": "40", "event-log.retention": "3650d" }

const follow = (seed: number) =>
  Effect.gen(function* () {
    const { url, simulation } = yield* runningVenue(seed)
    yield* Effect.flatMap(startFollower, (following) => caughtUp(simulation, following)).pipe(
      Effect.provide(nodeAt(url)),
      Effect.scoped,
    )
  }).pipe(Effect.scoped)

const fill = (seed: number) => (database: Redacted.Redacted) =>
  Effect.provide(follow(seed), Layer.provideMerge(ledger, testFoundation(flags, [], Effect.succeed(database))))

/**
 * A database whose ledger has the history of a brief world, up to its genesis. Tests continue from there with a venue of the
 * same seed, at any rate. The history is followed once for all test files.
 */
export const followedHistory = (seed: number) => copyOfFilled(`history_${seed}`, fill(seed))

/** The same, for others to be filled from it. */
export const historyDatabase = (seed: number) => filledDatabase(`history_${seed}`, fill(seed))
