import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type * as Redacted from "effect/Redacted"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import type { Simulation } from "#src/simulator/Simulation.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { historyDatabase } from "#test/ledger/support/followedHistory.ts"
import { followLife, laterLife, ledger } from "#test/ledger/support/following.ts"
import { keptDifferences, noDifferences } from "#test/positions/support/keptDifferences.ts"
import { copyOfFilled, testFoundation } from "#test/support/TestStores.ts"
import { ledgerFlags, ledgerServer } from "./ledgerServer.ts"

/** A venue that is the same in every test file: time moves only on request, and pictures have the same address. */
const venueOf = (seed: number) =>
  Effect.tap(followedVenue(seed, { rate: 20 }), ({ simulation }) =>
    Effect.sync(() => {
      simulation.address = "http://venue.test"
    }),
  )

/** Follows a world through its life, and lists two of three markets in the catalogue. */
const follow = (seed: number) =>
  Effect.gen(function* () {
    const { url, simulation, upstreams } = yield* venueOf(seed)
    yield* followLife(url, simulation, Effect.void)
    const { tx } = yield* Postgres
    const { tokens } = simulation.model.world.venue
    const known = tokens.filter(({ market }) => market.index % 3 !== 0).map(({ hex }) => hex)
    yield* Effect.provide(
      Effect.flatMap(catalogueLoader(tx), ({ ensureTokens }) => ensureTokens(known)),
      upstreams,
    )
    assert.deepStrictEqual(yield* keptDifferences, noDifferences)
  }).pipe(Effect.scoped)

const fill = (seed: number) => (database: Redacted.Redacted) =>
  Effect.provide(follow(seed), Layer.provideMerge(ledger, testFoundation(ledgerFlags, [], Effect.succeed(database))))

/** The whole API over the ledger of a world with reorganisations. The ledger is built once for all test files. */
export const livedServer = (seed: number, flags: Record<string, string> = {}) =>
  ledgerServer(flags, copyOfFilled(`lived_${seed}`, fill(seed), historyDatabase(seed)))

/** Building a world takes a second, and test files that run in the same worker share modules. */
const worlds = new Map<number, Simulation>()

/** The world whose ledger `livedServer` has. Tests must not change it. */
export const livedWorld = (seed: number) =>
  Effect.gen(function* () {
    const known = worlds.get(seed)
    if (known !== undefined) return known
    const { simulation } = yield* venueOf(seed)
    for (const step of laterLife) step(simulation)
    worlds.set(seed, simulation)
    return simulation
  }).pipe(Effect.scoped)
