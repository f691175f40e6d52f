import { Effect } from "effect"
import * as CatalogueStore from "#src/catalogue/CatalogueStore.ts"
import * as ReferenceStore from "#src/catalogue/ReferenceStore.ts"
import { firstLoadCheck } from "./firstLoadCheck.ts"

const reading: Readonly<Record<string, string>> = {
  closings: "reading the events that closed recently",
  mentioned: "looking up the markets of traded tokens",
}

/** Not ready until the catalogue has every market that answers name. */
export const catalogueCheck = firstLoadCheck("catalogue", (reads) =>
  Effect.gen(function* () {
    const [first] = yield* ReferenceStore.unfinishedReads(reads)
    if (first === undefined) return undefined
    return reading[first] ?? `first load: ${yield* CatalogueStore.countOpenEvents(reads)} open events so far`
  }),
)
