import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TickTail } from "#src/ticks/TickTail.ts"
import { eventually } from "#test/support/eventually.ts"
import { runningVenue } from "#test/support/venue.ts"
import {
  counted,
  equalsTruth,
  fault,
  follow,
  heal,
  pass,
  passUntil,
  platform,
  secondsOf,
  streams,
  tickWorld,
} from "./support.ts"

const isSoak = process.env.PRESAGE_SOAK === "1"

/** Socket faults, each with the metric that shows it. */
const socketFaults: ReadonlyArray<readonly [kind: string, more: object, metric: string, labels: object]> = [
  ["silent", {}, "presage_tick_disconnects_total", { reason: "silent" }],
  ["disconnect", { share: 0.2 }, "presage_tick_disconnects_total", { reason: "closed" }],
  ["down", {}, "presage_tick_disconnects_total", { reason: "unreachable" }],
  ["refuse", {}, "presage_tick_disconnects_total", {}],
  ["duplicate", {}, "presage_tick_duplicates_total", {}],
  ["reorder", { share: 0.5, delay_ms: 500 }, "presage_tick_received_total", {}],
  ["garbage", { share: 0.2 }, "presage_upstream_undecodable_total", {}],
  ["truncated", { share: 0.2 }, "presage_upstream_undecodable_total", {}],
  ["wrong_types", { share: 0.2 }, "presage_upstream_undecodable_total", {}],
  ["slow", { delay_ms: 300 }, "presage_tick_received_total", {}],
  ["clock_skew", { skew_ms: 60_000 }, "presage_tick_quarantined_total", { reason: "ahead" }],
  ["clock_skew", { skew_ms: -300_000 }, "presage_tick_quarantined_total", { reason: "behind" }],
  ["clock_skew", { skew_ms: -30_000 }, "presage_tick_quarantined_total", {}],
]

/** Trades do not matter here. */
const quiet = { rate: 1 }
const shortHistory = { "ticks.history": "12m" }

/** Times that a fault must be detected; a lost connection takes seconds. */
const detections = (metric: string) => (metric === "presage_tick_disconnects_total" && !isSoak ? 1 : 3)

describe("Tick followers under faults", () => {
  for (const source of [streams, platform]) {
    const upstream = source === streams ? "datastreams" : "rtds"
    it.live(`exactly the venue's ticks are stored after the ${upstream} socket has failed in every way`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(41, quiet)
        simulation.freeze()
        const from = secondsOf(simulation) - (source === streams ? 600 : 100)
        yield* Effect.gen(function* () {
          yield* follow(source, simulation)
          yield* pass(source, simulation, 3)
          for (const [kind, more, metric, labels] of socketFaults) {
            const known = { source, ...labels }
            const filter = metric.startsWith("presage_upstream") ? { source: upstream } : known
            const before = yield* counted(metric, filter)
            yield* fault(url, { upstream, channel: "socket", kind, ...more })
            if (kind === "refuse") yield* fault(url, { upstream, channel: "socket", kind: "disconnect" })
            const isDetected = Effect.map(counted(metric, filter), (n) => n >= before + detections(metric))
            yield* passUntil(simulation, `${kind} is detected`, isDetected)
            yield* heal(url)
            yield* pass(source, simulation, 3)
          }
          yield* equalsTruth(url, source, from, secondsOf(simulation) - 5)
        }).pipe(Effect.provide(tickWorld(url, shortHistory)))
      }),
    )
  }

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
            return ahead + against >= before + 10
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
