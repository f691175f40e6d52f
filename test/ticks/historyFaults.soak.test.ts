import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runningVenue } from "#test/support/venue.ts"
import { equalsTruth, fault, follow, secondsOf, streams, tickWorld } from "./support.ts"

/** Trades do not matter here. */
const quiet = { rate: 1 }

describe.concurrent("Tick followers whose history fails", () => {
  const httpFaults = {
    "errors, rate limits and truncated responses": [
      ["server_error", {}],
      ["rate_limited", { retry_after_s: 0 }],
      ["truncated", {}],
    ],
    "HTML pages, wrong types and wrong timestamps": [
      ["html", {}],
      ["wrong_types", {}],
      ["clock_skew", { skew_ms: 60_000 }],
      ["clock_skew", { skew_ms: -60_000 }],
    ],
  } as const
  for (const [what, kinds] of Object.entries(httpFaults)) {
    it.live(`history is loaded completely despite ${what} in a fifth of the requests each`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(42, { ...quiet, genesis: undefined, clock: Date.now })
        const from = secondsOf(simulation) - 1_500
        yield* Effect.gen(function* () {
          for (const [kind, more] of kinds) {
            yield* fault(url, { upstream: "datastreams", channel: "http", kind, share: 0.2, ...more })
          }
          yield* follow(streams, simulation)
          yield* equalsTruth(url, streams, from, secondsOf(simulation) - 5, 50)
        }).pipe(Effect.provide(tickWorld(url)))
      }),
    )
  }
})
