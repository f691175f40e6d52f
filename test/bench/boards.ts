import { Effect } from "effect"
import { growth } from "./boards/growth.ts"
import { pages } from "./boards/pages.ts"
import type { Bench } from "./support/Bench.ts"
import { ensureLedgers } from "./support/largeLedger.ts"

/** Building, refreshing and serving leaderboards of a long history. */
export const boards: Bench = Effect.gen(function* () {
  yield* ensureLedgers(["whole", "half"])
  const refreshReport = yield* growth
  const pageReport = yield* pages
  return {
    lines: [...refreshReport.lines, ...pageReport.lines],
    notes: [...refreshReport.notes, ...pageReport.notes],
    rounds: { refresh: refreshReport.rounds, pages: pageReport.rounds },
  }
})
