import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { combineReports } from "#src/status/combineReports.ts"
import { type Measurements, measurementsFrom, RateTracker } from "#src/status/measurements.ts"

const counter = (name: string, attributes: Record<string, string>) =>
  Metric.counter(name, { incremental: true, attributes })
const gauge = (name: string, attributes: Record<string, string>) => Metric.gauge(name, { attributes })

describe("measurements of a process", () => {
  it.effect("are grouped by source across metrics", () =>
    Effect.gen(function* () {
      yield* Metric.update(counter("presage_tick_received_total", { source: "platform_oracle", feed: "BTC" }), 3)
      yield* Metric.update(counter("presage_tick_received_total", { source: "platform_oracle", feed: "ETH" }), 4)
      yield* Metric.update(counter("presage_tick_refilled_total", { source: "platform_oracle", feed: "ETH" }), 10)
      yield* Metric.update(
        counter("presage_upstream_undecodable_total", { source: "rtds", what: "tick", reason: "not-json" }),
        2,
      )
      yield* Metric.update(gauge("presage_catalogue_done_timestamp_seconds", { duty: "sweep" }), 12.5)
      yield* Metric.update(gauge("presage_actor_epoch", { actor: "sports-feed" }), 4711)
      yield* Metric.update(gauge("presage_actor_epoch", { actor: "chain-follower" }), 0)
      yield* Metric.update(gauge("presage_upstream_circuit_open", { upstream: "gamma" }), 1)
      yield* Metric.update(counter("presage_something_else_total", { source: "chain" }), 9)
      const note = { at: 5, what: "tick", reason: "no", sample: "{" }
      const bySource = measurementsFrom(yield* Metric.snapshot, new Map([["rtds", note]]))
      const platform = bySource.get("platform_oracle")
      assert.deepStrictEqual(platform?.counts, { rows: 17, undecodable: 2 })
      assert.deepStrictEqual(platform?.unread, note)
      assert.deepStrictEqual(bySource.get("catalogue")?.moments, { sweep: 12_500 })
      assert.deepStrictEqual(bySource.get("sports")?.now, { followers: 1 })
      assert.deepStrictEqual(bySource.get("chain"), {
        counts: {},
        rates: {},
        moments: {},
        now: { followers: 0 },
        unread: null,
      })
      assert.deepStrictEqual(bySource.get("upstreams")?.now, { gamma: 1 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
  )

  it("have rates over the last 30 seconds", () => {
    const rates = new RateTracker()
    assert.strictEqual(rates.perSecond("a", 1_000, 0), 0)
    for (let second = 2; second <= 60; second += 2) rates.perSecond("a", 1_000 + 10 * second, second * 1000)
    assert.strictEqual(rates.perSecond("a", 1_620, 62_000), 10)
    assert.strictEqual(rates.perSecond("b", 7, 62_000), 0)
    for (let second = 64; second < 92; second += 2) rates.perSecond("a", 1_620, second * 1000)
    assert.strictEqual(rates.perSecond("a", 1_620, 92_000), 0)
  })
})

describe("combineReports", () => {
  const none: Measurements = { counts: {}, rates: {}, moments: {}, now: {}, unread: null }
  const note = (at: number) => ({ at, what: "log", reason: "odd", sample: String(at) })

  it("adds up counts of all processes, but rates and current amounts only of recent reports", () => {
    const gone = {
      source: "chain",
      at: 1_000,
      since: 100,
      measurements: {
        ...none,
        counts: { rows: 5, reorgs: 2 },
        rates: { rows: 50 },
        moments: { sweep: 7 },
        now: { followers: 1 },
        unread: note(3),
      },
    }
    const alive = {
      source: "chain",
      at: 9_000,
      since: 8_000,
      measurements: {
        ...none,
        counts: { rows: 4 },
        rates: { rows: 2 },
        moments: { sweep: 6 },
        now: { followers: 1 },
        unread: note(2),
      },
    }
    const combined = combineReports([gone, alive], { from: 5_000, to: 20_000 })
    assert.deepStrictEqual(combined.counts, { rows: 9, reorgs: 2 })
    assert.deepStrictEqual(combined.rates, { rows: 2 })
    assert.deepStrictEqual(combined.moments, { sweep: 7 })
    assert.deepStrictEqual(combined.now, { followers: 1 })
    assert.deepStrictEqual(combined.unread, note(3))
    assert.deepStrictEqual([combined.reportedAt, combined.since], [9_000, 100])
    assert.deepStrictEqual(combineReports([gone], { from: 5_000, to: 20_000 }).now, {})
    // A process that ended while its clock was ahead.
    assert.deepStrictEqual(combineReports([alive], { from: 0, to: 8_000 }).now, {})
    assert.isNull(combineReports([], { from: 0, to: 20_000 }).reportedAt)
  })
})
