import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { lastUnread, skip, UnreadNotes } from "#src/upstream/undecodable.ts"

const counted = Effect.map(Metric.snapshot, (metrics) =>
  metrics.flatMap(({ id, attributes, state }) =>
    id === "presage_upstream_undecodable_total" && "count" in state ? [[attributes, Number(state.count)]] : [],
  ),
)

describe("What cannot be read", () => {
  it.effect("is counted by source and kind, kept as a sample and told of a few times a minute", () => {
    const lines: Array<string> = []
    const log = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
    return Effect.gen(function* () {
      const odd = (item: unknown) => ({ reason: "Expected\n  a number", item })
      yield* skip("rtds", "tick", [])
      assert.isEmpty(lines)
      yield* skip("rtds", "tick", [odd("{"), odd({ price: "x".repeat(1_000) }), odd("{}")])
      yield* skip("rtds", "tick", [odd("<html>")])
      yield* skip("rtds", "snapshot", [odd("[]")])
      assert.deepStrictEqual(yield* counted, [
        [{ source: "rtds", what: "tick", reason: "not-json" }, 2],
        [{ source: "rtds", what: "tick", reason: "wrong-shape" }, 2],
        [{ source: "rtds", what: "snapshot", reason: "wrong-shape" }, 1],
      ])
      assert.deepStrictEqual(lines, [
        "rtds: passed over 3 tick(s): Expected a number",
        "rtds: passed over 1 snapshot(s): Expected a number",
      ])
      const note = (yield* lastUnread).get("rtds")
      assert.include(note, { what: "snapshot", reason: "Expected a number", sample: "[]" })
      yield* TestClock.adjust("11 seconds")
      yield* skip("rtds", "tick", [odd({ price: "x".repeat(1_000) })])
      assert.strictEqual(lines[2], "rtds: passed over 1 tick(s) and 1 before: Expected a number")
      assert.strictEqual((yield* lastUnread).get("rtds")?.sample.length, 300)
      yield* skip("rtds", "tick", [{ reason: "a\0b", item: `${"x".repeat(299)}😀` }])
      const kept = (yield* lastUnread).get("rtds")
      assert.strictEqual(kept?.reason, "a\uFFFDb")
      assert.strictEqual(kept?.sample, `${"x".repeat(299)}\uFFFD`)
    }).pipe(
      Effect.provide(Logger.layer([log])),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provideService(UnreadNotes, { last: new Map(), lines: new Map() }),
    )
  })
})
