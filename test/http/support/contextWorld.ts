import { Effect, Layer } from "effect"
import { catalogueLoader } from "#src/catalogue/CatalogueLoader.ts"
import { Dictionary } from "#src/dictionary/Dictionary.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { Gamma } from "#src/upstream/gamma/Gamma.ts"
import { upstreamsAt } from "#test/support/venue.ts"
import { engineWorks, searchWorld, Venue } from "./searchWorld.ts"

const loaded = Effect.gen(function* () {
  const { url } = yield* Venue
  const { tx } = yield* Postgres
  yield* Effect.flatMap(catalogueLoader(tx), ({ references, sweep }) => Effect.andThen(references, sweep)).pipe(
    Effect.provide(Layer.mergeAll(Gamma.layer, Dictionary.layer).pipe(Layer.provideMerge(upstreamsAt(url)))),
  )
  yield* Effect.forEach(["brave", "duckduckgo"], engineWorks)
})

/** The API with the whole catalogue of a venue whose time stands still, and engines that work. */
export const contextWorld = (settings: Record<string, string> = {}) =>
  Layer.effectDiscard(loaded).pipe(
    Layer.provideMerge(searchWorld(() => ({ "catalogue.page": "500", "upstream.gamma.rate": "5000", ...settings }))),
  )
