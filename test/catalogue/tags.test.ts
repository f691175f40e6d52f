import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Tags } from "#src/catalogue/Tags.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { testFoundation } from "#test/support/TestStores.ts"

const tagsLayer = Layer.fresh(Tags.layer).pipe(Layer.provideMerge(TestClock.layer()))

layer(testFoundation(), { excludeTestServices: true })("Tags", (it) => {
  it.effect("are cached for a minute during the first load and for half an hour after it", () =>
    Effect.gen(function* () {
      const { sql } = yield* Postgres
      const list = (id: number) =>
        Effect.gen(function* () {
          yield* sql`
            insert into event (id, slug, title, tags, active, closed, archived, featured, neg_risk)
            values (${id}, ${`event-${id}`}, 'An event', ${JSON.stringify([`tag-${id}`])}::jsonb, true, false, false, false, false)`
          yield* sql`
            insert into market (id, event, tokens, slug, question, outcomes, prices, active, closed, archived,
              accepting_orders, neg_risk)
            values (${id}, ${id}, '[]', ${`market-${id}`}, 'Which?', '["Yes", "No"]', '[500000, 500000]', true, false,
              false, true, false)`
        })
      yield* Effect.gen(function* () {
        const { all } = yield* Tags
        const slugsAfter = (passed: "0 seconds" | "59 seconds" | "1 second" | "29 minutes" | "1 minute") =>
          Effect.andThen(
            TestClock.adjust(passed),
            Effect.map(all, (tags) => tags.map(({ slug }) => slug)),
          )
        assert.deepStrictEqual(yield* slugsAfter("0 seconds"), [])
        yield* list(1)
        assert.deepStrictEqual(yield* slugsAfter("59 seconds"), [])
        assert.deepStrictEqual(yield* slugsAfter("1 second"), ["tag-1"])
        yield* list(2)
        yield* sql`insert into catalogue_progress (name, at) values ('first-load', now())`
        assert.deepStrictEqual(yield* slugsAfter("1 minute"), ["tag-1", "tag-2"])
        yield* list(3)
        assert.deepStrictEqual(yield* slugsAfter("29 minutes"), ["tag-1", "tag-2"])
        assert.deepStrictEqual(yield* slugsAfter("1 minute"), ["tag-1", "tag-2", "tag-3"])
      }).pipe(Effect.provide(tagsLayer))
    }),
  )
})
