import { Schema } from "effect"
import type { CoverageStart } from "./CoverageStore.ts"

/** What an answer covers. */
const Coverage = Schema.Struct({
  from_block: Schema.Int.annotate({ description: "First block that the answer takes into account" }),
  from_time: Schema.Int.annotate({ description: "Time of that block, Unix seconds" }),
  complete: Schema.Boolean.annotate({
    description:
      "Whether the venue has no history before that block; false while history is being read, or if it is not to be",
  }),
})
  .annotate({ description: "The part of the venue's history that the answer covers" })
  .annotate({ identifier: "Coverage" })

/** Null while the ledger is empty. */
export const CoverageField = Schema.NullOr(Coverage)

export const shownCoverage = (start: CoverageStart | undefined): typeof CoverageField.Type =>
  start === undefined
    ? null
    : { from_block: start.block, from_time: Math.floor(start.at / 1000), complete: start.isComplete }
