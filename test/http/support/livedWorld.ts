import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { caughtUp, nodeAt, startFollower } from "#test/ledger/support/following.ts"
import { keptDifferences, noDifferences } from "#test/positions/support/keptDifferences.ts"

/** A world with reorganizations; the catalogue lists two of three markets. */
export const livedWorld = Effect.fnUntraced(function* (seed: number) {
  const { url, simulation, upstreams } = yield* followedVenue(seed, { rate: 20 })
  const { tokens } = simulation.model.world.venue
  yield* Effect.gen(function* () {
    const following = yield* startFollower
    yield* caughtUp(simulation, following)
    simulation.advance(20_000)
    yield* caughtUp(simulation, following)
    simulation.reorg(8)
    simulation.advance(20_000)
    simulation.settle()
    yield* caughtUp(simulation, following)
  }).pipe(Effect.provide(nodeAt(url)), Effect.scoped)
  const { tx } = yield* Postgres
  const known = tokens.filter(({ market }) => market.index % 3 !== 0).map(({ hex }) => hex)
  yield* Effect.provide(
    Effect.flatMap(catalogueLoader(tx), ({ ensureTokens }) => ensureTokens(known)),
    upstreams,
  )
  assert.deepStrictEqual(yield* keptDifferences, noDifferences)
  return simulation
})
