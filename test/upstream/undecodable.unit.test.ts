import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { lastUndecodable, skip, UndecodableItems } from "#src/upstream/undecodable.ts"

const counted = Effect.map(Metric.snapshot, (metrics) =>
  metrics.flatMap(({ id, attributes, state }) =>
    id === "presage_upstream_undecodable_total" && "count" in state ? [[attributes, Number(state.count)]] : [],
  ),
)

describe("Undecodable items", () => {
  it.effect("are counted by source and type, sampled, and logged every ten seconds at most", () => {
    const lines: Array<string> = []
    const log = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const undecodable = (item: unknown) => ({ reason: "Expected\n  a number", item })
      yield* skip("rtds", "tick", [])
      assert.isEmpty(lines)
      yield* skip("rtds", "tick", [undecodable("{"), undecodable({ price: "x".repeat(1_000) }), undecodable("{}")])
      yield* skip("rtds", "tick", [undecodable("<html>")])
      yield* skip("rtds", "snapshot", [undecodable("[]")])
      assert.deepStrictEqual(yield* counted, [
        [{ source: "rtds", what: "tick", reason: "not-json" }, 2],
        [{ source: "rtds", what: "tick", reason: "wrong-shape" }, 2],
        [{ source: "rtds", what: "snapshot", reason: "wrong-shape" }, 1],
      ])
      assert.deepStrictEqual(lines, [
        "rtds: skipped 3 tick(s): Expected a number",
        "rtds: skipped 1 snapshot(s): Expected a number",
      ])
      const sample = (yield* lastUndecodable).get("rtds")
      assert.include(sample, { what: "snapshot", reason: "Expected a number", sample: "[]" })
      yield* TestClock.adjust("11 seconds")
      yield* skip("rtds", "tick", [undecodable({ price: "x".repeat(1_000) })])
      assert.strictEqual(lines[2], "rtds: skipped 1 tick(s) and 1 earlier: Expected a number")
      assert.strictEqual((yield* lastUndecodable).get("rtds")?.sample.length, 300)
      yield* skip("rtds", "tick", [{ reason: "a\0b", item: `${"x".repeat(299)}😀` }])
      const last = (yield* lastUndecodable).get("rtds")
      assert.strictEqual(last?.reason, "a\uFFFDb")
      assert.strictEqual(last?.sample, `${"x".repeat(299)}\uFFFD`)
    }).pipe(
      Effect.provide(Logger.layer([log])),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(UndecodableItems, { last: new Map(), lines: new Map() }),
    )
  })
})
