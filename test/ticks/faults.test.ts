import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
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
const shortHistory = { "ticks.history": "6m", "ticks.ready-history": "4m" }

/** Times that a fault must be detected; a lost connection takes seconds. */
const detections = (metric: string) => (metric === "presage_tick_disconnects_total" && !isSoak ? 1 : 3)

// Metrics have the source as a label, so the tests do not count the faults of each other.
describe.concurrent("Tick followers under faults", () => {
  for (const source of [streams, platform]) {
    const upstream = source === streams ? "datastreams" : "rtds"
    it.live(`exactly the venue's ticks are stored after the ${upstream} socket has failed in every way`, () =>
      Effect.gen(function* () {
        const { url, simulation } = yield* runningVenue(41, quiet)
        simulation.freeze()
        const from = secondsOf(simulation) - (source === streams ? 240 : 100)
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
})
