import { Effect } from "effect"
import { growth } from "./boards/growth.ts"
import { pages } from "./boards/pages.ts"
import type { Bench } from "./support/Bench.ts"
import { ensureLedgers } from "./support/largeLedger.ts"

/** What it takes to have leaderboards of a long history, to keep them up to date and to show them. */
export const boards: Bench = Effect.gen(function* () {
  yield* ensureLedgers(["whole", "half"])
  const kept = yield* growth
  const shown = yield* pages
  return {
    lines: [...kept.lines, ...shown.lines],
    notes: [...kept.notes, ...shown.notes],
    rounds: { kept: kept.rounds, shown: shown.rounds },
  }
})
