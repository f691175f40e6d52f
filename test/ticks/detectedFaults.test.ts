import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TickTail } from "#src/ticks/TickTail.ts"
import { eventually } from "#test/support/eventually.ts"
import { runningVenue } from "#test/support/venue.ts"
import { counted, equalsTruth, fault, follow, heal, pass, passUntil, secondsOf, streams, tickWorld } from "./support.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Trades do not matter here. */
const quiet = { rate: 1 }
const shortHistory = { "ticks.history": "12m" }

// They count different metrics.
describe.concurrent("Tick followers that detect a fault", () => {
  it.live("history with wrong timestamps is rejected, however long the fault lasts", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(44, quiet)
      simulation.freeze()
      const from = secondsOf(simulation) - 600
      yield* Effect.gen(function* () {
        yield* follow(streams, simulation)
        yield* pass(streams, simulation, 3)
        yield* equalsTruth(url, streams, from, secondsOf(simulation) - 5)
        yield* fault(url, { upstream: "datastreams", channel: "socket", kind: "garbage", share: 0.3 })
        yield* fault(url, { upstream: "datastreams", channel: "http", kind: "clock_skew", skew_ms: 30_000 })
        const rejected = (outcome: string) => counted("presage_tick_refills_total", { source: streams, outcome })
        const before = (yield* rejected("ahead")) + (yield* rejected("contradiction"))
        yield* passUntil(
          simulation,
          "pages are requested and rejected repeatedly",
          Effect.map(Effect.all([rejected("ahead"), rejected("contradiction")]), ([ahead, against]) => {
            return ahead + against >= before + (isSoak ? 10 : 3)
          }),
        )
        yield* heal(url)
        yield* pass(streams, simulation, 3)
        yield* equalsTruth(url, streams, from, secondsOf(simulation) - 5)
      }).pipe(Effect.provide(tickWorld(url, shortHistory)))
    }),
  )

  it.live("a silent socket is replaced within 5 s and the missed ticks are loaded", () =>
    Effect.gen(function* () {
      const { url, simulation } = yield* runningVenue(43, { ...quiet, genesis: undefined, clock: Date.now })
      const from = secondsOf(simulation) - 500
      yield* Effect.gen(function* () {
        const tail = yield* TickTail
        yield* follow(streams, simulation)
        const newest = (after: number) =>
          Effect.map(tail.read(streams, "BTC", `${after}-0`, 1), ({ length }) => length > 0)
        yield* eventually("live ticks arrive", newest(simulation.now()))
        const silent = counted("presage_tick_disconnects_total", { source: streams, reason: "silent" })
        const before = yield* silent
        yield* fault(url, { upstream: "datastreams", channel: "socket", kind: "silent" })
        const since = performance.now()
        yield* eventually(
          "the silence is detected",
          Effect.map(silent, (n) => n > before),
        )
        yield* heal(url)
        yield* eventually("live ticks arrive again", newest(simulation.now()))
        // Elsewhere others use the machine as well.
        if (isSoak) assert.isBelow(performance.now() - since, 6_500)
        yield* equalsTruth(url, streams, from, secondsOf(simulation) - 5)
      }).pipe(Effect.provide(tickWorld(url, shortHistory)))
    }),
  )
})
