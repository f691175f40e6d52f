import { Effect } from "effect"
import { Leagues } from "#src/sports/Leagues.ts"
import { Listings } from "#src/sports/Listings.ts"
import { answered } from "../answered.ts"
import { refusal, shownLive, shownSummary } from "../translate.ts"

/** Games per league, by league and by figure. */
export const summaryHandlers = Effect.gen(function* () {
  const leagues = yield* Leagues
  const listings = yield* Listings

  /** Summaries are counted when something changes; they are as old as the catalogue that they count. */
  const summaries = Effect.gen(function* () {
    const sourced = yield* Effect.catch(leagues.summaries, refusal)
    const at = yield* listings.knownAt
    return { ...sourced, at: sourced.stale ? sourced.at : Math.min(sourced.at, at ?? 0) }
  })

  return {
    summary: () =>
      Effect.flatMap(summaries, (sourced) =>
        answered({ count: sourced.value.length, leagues: sourced.value.map(shownSummary) }, sourced),
      ),
    live: () => Effect.flatMap(summaries, (sourced) => answered(shownLive(sourced.value), sourced)),
  }
})
