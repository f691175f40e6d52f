import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ReferenceStore from "#src/catalogue/ReferenceStore.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { eventually } from "#test/support/eventually.ts"
import { testFoundation } from "#test/support/TestStores.ts"
import { followedVenue } from "./support/follower.ts"

layer(testFoundation(), { excludeTestServices: true })("A catalogue beside a history that is being read", (it) => {
  it.effect("looks up traded markets at once, and is complete only when the history is", () =>
    Effect.gen(function* () {
      const { simulation, upstreams, following, now } = yield* followedVenue(35)
      const { sql, reads } = yield* Postgres
      // The backfill is far from the head, and wrote just now; the follower's clock is the venue's.
      const updated = () => new Date(now() + 3_600_000)
      yield* sql`
        insert into chain_cursor (name, started_from, block, head, hash, updated_at)
        values ('polygon', 80000000, 80000001, 80001000, '\\x00', ${updated()})`
      const { venue } = simulation.model.world
      const closed = venue.markets.filter(({ closed, legs }) => closed && legs === undefined).slice(0, 5)
      const hexes = closed.flatMap(({ tokens }) => tokens.map((index) => venue.tokens[index]?.hex ?? ""))
      yield* Effect.provide(
        Effect.flatMap(Dictionary, ({ tokens }) => tokens(hexes)),
        upstreams,
      )

      yield* Effect.gen(function* () {
        yield* eventually(
          "the markets of traded tokens are known",
          Effect.map(ReferenceStore.tokensWithoutMarket(reads, 0, 100), ({ names }) => names.length === 0),
          "60 seconds",
        )
        yield* eventually(
          "open and recently closed events are read",
          Effect.map(ReferenceStore.unfinishedReads(reads), (left) => left.length === 1),
          "60 seconds",
        )
        assert.deepStrictEqual(yield* ReferenceStore.unfinishedReads(reads), ["mentioned"])

        yield* sql`update chain_cursor set caught_up_at = now()`
        yield* eventually(
          "the catalogue is complete",
          Effect.map(ReferenceStore.unfinishedReads(reads), (left) => left.length === 0),
          "60 seconds",
        )
      }).pipe(Effect.provide(Layer.fresh(following)))
    }),
  )
})
