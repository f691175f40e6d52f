import { Effect, Layer } from "effect"
import * as CatalogueStore from "#src/catalogue/CatalogueStore.ts"
import * as ReferenceStore from "#src/catalogue/ReferenceStore.ts"
import { Postgres } from "#src/platform/sql/Postgres.ts"
import { describe } from "#src/platform/sql/sqlFailure.ts"
import { Health } from "#src/platform/telemetry/Health.ts"

const reading: Readonly<Record<string, string>> = {
  closings: "reading the events that closed recently",
  mentioned: "looking up the markets of traded tokens",
}

/** Not ready until the catalogue has every market that answers name. Read from the database: any process may follow it. */
export const catalogueCheck = Layer.effectDiscard(
  Effect.gen(function* () {
    const health = yield* Health
    const { reads } = yield* Postgres
    let isComplete = false
    yield* health.register(
      "catalogue",
      Effect.gen(function* () {
        if (isComplete) return undefined
        const [first] = yield* Effect.mapError(ReferenceStore.unfinishedReads(reads), describe)
        isComplete = first === undefined
        if (first === undefined) return undefined
        const open = yield* Effect.mapError(CatalogueStore.countOpenEvents(reads), describe)
        return yield* Effect.fail(reading[first] ?? `first load: ${open} open events so far`)
      }),
    )
  }),
)
