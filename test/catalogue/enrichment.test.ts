import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Enrichment } from "#src/catalogue/Enrichment.ts"
import * as ReferenceStore from "#src/catalogue/ReferenceStore.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { followedVenue } from "./support/follower.ts"

const hexOf = (id: string) => BigInt(id).toString(16).padStart(64, "0")

layer(Enrichment.layer.pipe(Layer.provideMerge(testFoundation({ "catalogue.enrichment-cache": "100" }))), {
  excludeTestServices: true,
})("Tokens mentioned by fills", (it) => {
  it.effect("have their open and closed markets loaded, and unlisted tokens are retried later", () =>
    Effect.gen(function* () {
      const { simulation, upstreams, now } = yield* followedVenue(34)
      const { venue } = simulation.model.world
      const listed = venue.markets.filter(
        ({ event, legs }) => event.plan.createdAt < simulation.now() && legs === undefined,
      )
      const some = listed.filter((_, index) => index % Math.ceil(listed.length / 40) === 0)
      const tokens = some.flatMap((market) => market.tokens.map((index) => hexOf(venue.tokens[index]?.id ?? "0")))
      const unlisted = "f".repeat(64)

      yield* Effect.gen(function* () {
        const dictionary = yield* Dictionary
        const enrichment = yield* Enrichment
        const { tx, reads } = yield* Postgres
        const ids = yield* dictionary.tokens([...tokens, unlisted])
        const idOf = (token: string) => ids.get(token) ?? 0
        assert.strictEqual((yield* enrichment.tokens(ids.values())).size, 0)

        const loader = yield* catalogueLoader(tx)
        yield* loader.mentionedTokens
        assert.isEmpty((yield* ReferenceStore.tokensWithoutMarket(reads, 0, 100)).names)
        assert.deepStrictEqual(yield* ReferenceStore.tokensToRetry(reads, now(), 10), [])
        assert.deepStrictEqual(yield* ReferenceStore.tokensToRetry(reads, now() + 10_000, 10), [unlisted])

        // Misses are cached for two seconds.
        simulation.advance(3_000)
        const later = yield* enrichment.tokens(ids.values())
        assert.strictEqual(later.size, tokens.length)
        for (const market of some) {
          const [first = "", second = ""] = market.tokens.map((index) => hexOf(venue.tokens[index]?.id ?? "0"))
          for (const [outcomeIndex, token] of [first, second].entries()) {
            const { plan } = market.event
            assert.deepInclude(later.get(idOf(token)), {
              token,
              condition: market.conditionId.slice(2),
              outcomeIndex,
              outcome: market.plan.outcomes[outcomeIndex] ?? "none",
              tokens: [first, second],
              title: market.plan.question,
              slug: market.plan.slug,
              eventSlug: plan.slug,
              eventTitle: plan.title,
              category: plan.category,
              tags: plan.tags.map(({ slug }) => slug),
              negRisk: plan.negRisk,
            })
          }
        }
      }).pipe(Effect.provide(upstreams))
    }),
  )

  it.effect("are looked up with one query at most, and without a query if cached", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const rows = yield* sql<{ id: number }>`select id from token where outcome is not null order by id limit 90`
      const ids = rows.map(({ id }) => id)
      const before = yield* Enrichment.use(({ tokens }) => tokens(ids))
      assert.strictEqual(before.size, ids.length)
      // Cached tokens need no table.
      const again = yield* Effect.acquireUseRelease(
        sql`alter table market rename to market_away`,
        () => Enrichment.use(({ tokens }) => tokens(ids)),
        () => Effect.orDie(sql`alter table market_away rename to market`),
      )
      assert.deepStrictEqual(
        [...again.values()],
        ids.map((id) => before.get(id)),
      )
    }),
  )
})
