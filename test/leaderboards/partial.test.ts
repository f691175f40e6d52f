import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ApiServer } from "#http/Server.ts"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { refreshLeaderboards } from "#src/leaderboards/refresh.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { checkBoards } from "#src/repair/verify/boards.ts"
import { verifyOnly } from "#src/repair/verify.ts"
import { firstBlock } from "#src/simulator/world/blockClock.ts"
import { followedVenue } from "#test/catalogue/support/follower.ts"
import { reachesBack, startHistory, startPausable } from "#test/history/support/reading.ts"
import { askWith, keyOf } from "#test/http/support/keys.ts"
import { serving } from "#test/http/support/serving.ts"
import { caughtUp, ledger, nodeAt } from "#test/ledger/support/following.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { assertAllTimeSums } from "./support/allTimeSums.ts"
import { type Reference, referenceBoards } from "./support/referenceBoards.ts"
import { assertBoards, everything, type Scope, scopesIn } from "./support/shownBoards.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

const world = Layer.merge(ApiServer, ledger).pipe(
  Layer.provideMerge(serving),
  Layer.provideMerge(
    testFoundation({
      port: "0",
      host: "127.0.0.1",
      "event-log.retention": "1d",
      "leaderboards.look": "0ms",
      "ledger.history-order": "newest-first",
      "ledger.history": "all",
      "ledger.reorg-depth": "60",
    }),
  ),
)

/** Boards without and with the wallets whose result is incomplete. */
const assertBoth = Effect.fnUntraced(function* (key: string, reference: Reference, scopes: ReadonlyArray<Scope>) {
  const complete = yield* assertBoards(key, reference, scopes)
  assert.strictEqual(yield* assertBoards(key, reference, scopes, false), complete)
  return { complete, all: yield* assertBoards(key, reference, scopes, true) }
})

const assertVerified = Effect.gen(function* () {
  const boards = (yield* verifyOnly(checkBoards)).find(({ check }) => check === "boards")
  assert.isTrue(boards?.ok, boards?.detail)
})

layer(world, { excludeTestServices: true })("Boards of a ledger that began at the head", (it) => {
  it.effect("rank wallets with shares from before only on request, until history explains these", () =>
    Effect.gen(function* () {
      const { url, simulation, upstreams } = yield* followedVenue(94, { rate: isSoak ? 50 : 8 })
      simulation.settle()
      yield* Effect.gen(function* () {
        const { sql, tx } = yield* Postgres
        const { key } = yield* keyOf("enterprise")
        const following = yield* startPausable
        yield* caughtUp(simulation, following)
        simulation.advance(isSoak ? 120_000 : 50_000)
        yield* caughtUp(simulation, following)
        yield* Effect.flatMap(catalogueLoader(tx), ({ mentionedTokens }) => mentionedTokens).pipe(
          Effect.provide(upstreams),
        )
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        const first = yield* referenceBoards
        const { categories, tags, markets } = scopesIn(first.named)
        const scopes = isSoak
          ? [everything, ...categories.slice(0, 2), ...tags.slice(0, 3), ...markets.slice(0, 6)]
          : [everything, ...categories.slice(0, 1), ...tags.slice(0, 1), ...markets.slice(0, 2)]
        const { complete, all } = yield* assertBoth(key, first, scopes)
        assert.isAbove(complete, 0)
        assert.isAbove(all, complete)

        const walletsOn = (path: string, rows: "data" | "leaderboard") =>
          Effect.map(askWith(key, path), ({ json }) => json[rows].map(({ wallet }: { wallet: string }) => wallet))
        for (const [query] of tags.slice(0, isSoak ? 3 : 1)) {
          for (const partial of [true, false]) {
            assert.deepStrictEqual(
              yield* walletsOn(
                `/v3/tags/${query.slice("tags=".length)}/leaderboard?include_partial=${partial}`,
                "data",
              ),
              yield* walletsOn(`/v3/leaderboard?${query}&include_partial=${partial}`, "leaderboard"),
            )
          }
        }

        // The ledger is ahead of the boards, which answer as of their moment.
        simulation.advance(isSoak ? 20_000 : 8_000)
        yield* caughtUp(simulation, following)
        yield* assertBoth(key, first, scopes)

        for (let round = 0; round < (isSoak ? 4 : 1); round++) {
          yield* sql`update event set tags = tags || ${JSON.stringify([`tag-${round}`])}::jsonb where id % 3 = ${round % 3}`
          simulation.advance(8_000)
          yield* caughtUp(simulation, following)
          assert.strictEqual(yield* refreshLeaderboards, "advanced")
          simulation.reorg(6 + round)
          simulation.advance(2_000)
          yield* caughtUp(simulation, following)
          yield* assertVerified
          assert.strictEqual(yield* refreshLeaderboards, "advanced")
          yield* assertAllTimeSums(`round ${round}`)
        }
        yield* assertBoth(key, yield* referenceBoards, isSoak ? scopes : [everything, ...tags.slice(0, 1)])

        const reading = yield* startHistory
        yield* reachesBack(firstBlock, reading)
        yield* caughtUp(simulation, following)
        assert.strictEqual(yield* refreshLeaderboards, "rebuilt")
        yield* assertAllTimeSums("with the whole history")
        const whole = yield* assertBoth(key, yield* referenceBoards, [everything])
        assert.isAbove(whole.complete, 0)
        assert.strictEqual(whole.all, whole.complete)
        const { json } = yield* askWith(key, "/v3/leaderboard?include_partial=true&limit=1")
        assert.deepInclude(json.leaderboard[0], { rank: 1, basis: "known" })
      }).pipe(Effect.provide(nodeAt(url)))
    }),
  )

  it.effect("refuse anything else than true and false for include_partial", () =>
    Effect.gen(function* () {
      const { key } = yield* keyOf("enterprise")
      for (const path of ["/v3/leaderboard", "/v3/tags/crypto/leaderboard"]) {
        const { status, json } = yield* askWith(key, `${path}?include_partial=yes`)
        assert.strictEqual(status, 400)
        assert.strictEqual(json.param, "include_partial")
      }
    }),
  )
})
