import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { combine } from "#src/status/combine.ts"
import { type Figures, figuresIn } from "#src/status/figures.ts"
import { Lately } from "#src/status/Lately.ts"

const counter = (name: string, attributes: Record<string, string>) =>
  Metric.counter(name, { incremental: true, attributes })
const gauge = (name: string, attributes: Record<string, string>) => Metric.gauge(name, { attributes })

describe("What a process has counted", () => {
  it.effect("is put together by source, whatever the metrics are called", () =>
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
      const figures = figuresIn(yield* Metric.snapshot, new Map([["rtds", note]]))
      const platform = figures.get("platform_oracle")
      assert.deepStrictEqual(platform?.counts, { rows: 17, undecodable: 2 })
      assert.deepStrictEqual(platform?.unread, note)
      assert.deepStrictEqual(figures.get("catalogue")?.moments, { sweep: 12_500 })
      assert.deepStrictEqual(figures.get("sports")?.now, { followers: 1 })
      assert.deepStrictEqual(figures.get("chain"), {
        counts: {},
        rates: {},
        moments: {},
        now: { followers: 0 },
        unread: null,
      })
      assert.deepStrictEqual(figures.get("upstreams")?.now, { gamma: 1 })
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
  )

  it("has a rate of the last half minute", () => {
    const lately = new Lately()
    assert.strictEqual(lately.perSecond("a", 1_000, 0), 0)
    for (let second = 2; second <= 60; second += 2) lately.perSecond("a", 1_000 + 10 * second, second * 1000)
    assert.strictEqual(lately.perSecond("a", 1_620, 62_000), 10)
    assert.strictEqual(lately.perSecond("b", 7, 62_000), 0)
    for (let second = 64; second < 92; second += 2) lately.perSecond("a", 1_620, second * 1000)
    assert.strictEqual(lately.perSecond("a", 1_620, 92_000), 0)
  })
})

describe("What several processes have counted", () => {
  const none: Figures = { counts: {}, rates: {}, moments: {}, now: {}, unread: null }
  const note = (at: number) => ({ at, what: "log", reason: "odd", sample: String(at) })

  it("adds up, but how things are now only those know who still report", () => {
    const gone = {
      source: "chain",
      at: 1_000,
      since: 100,
      figures: {
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
      figures: {
        ...none,
        counts: { rows: 4 },
        rates: { rows: 2 },
        moments: { sweep: 6 },
        now: { followers: 1 },
        unread: note(2),
      },
    }
    const told = combine([gone, alive], 5_000)
    assert.deepStrictEqual(told.counts, { rows: 9, reorgs: 2 })
    assert.deepStrictEqual(told.rates, { rows: 2 })
    assert.deepStrictEqual(told.moments, { sweep: 7 })
    assert.deepStrictEqual(told.now, { followers: 1 })
    assert.deepStrictEqual(told.unread, note(3))
    assert.deepStrictEqual([told.reportedAt, told.since], [9_000, 100])
    assert.deepStrictEqual(combine([gone], 5_000).now, {})
    assert.isNull(combine([], 0).reportedAt)
  })
})
