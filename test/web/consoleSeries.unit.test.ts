import { assert, describe, it } from "vitest"
import { merged, perProcess, rates } from "../../web/console/series.ts"
import type { Sample } from "../../web/console/shapes.ts"

const sample = (at: number, process = "a:1", counts: Record<string, number> = {}): Sample => ({
  process,
  at,
  seconds: 10,
  rss: at,
  lag: 0,
  cpu: 0,
  counts,
})

describe("The last hour in the console", () => {
  it("drops samples older than an hour, however long the page stays open", () => {
    let kept: ReadonlyArray<Sample> = []
    for (let at = 0; at < 5 * 3_600_000; at += 10_000) kept = merged(kept, [sample(at), sample(at + 1, "b:2")])
    assert.strictEqual(kept.length, 2 * 360)
    assert.isAbove(kept[0]?.at ?? 0, 4 * 3_600_000 - 20_000)
  })

  it("draws one line per process, with gaps where one did not report", () => {
    const { xs, lines } = perProcess([sample(20_000), sample(30_000), sample(30_004, "b:2")], ({ rss }) => rss)
    assert.deepStrictEqual(xs, [20, 30])
    assert.deepStrictEqual(
      lines.map(({ label, values }) => [label, values]),
      [
        ["a:1", [20_000, 30_000]],
        ["b:2", [null, 30_004]],
      ],
    )
  })

  it("adds up rates of all processes", () => {
    const counted = [
      sample(10_000, "a:1", { "jobs.x.done": 20, "jobs.y.done": 10 }),
      sample(10_500, "b:2", { "jobs.x.done": 30, "jobs.x.failed": 10 }),
    ]
    const { lines } = rates(counted, { done: (n) => n.endsWith(".done"), failed: (n) => n.endsWith(".failed") })
    assert.deepStrictEqual(
      lines.map(({ label, values }) => [label, values]),
      [
        ["done", [6]],
        ["failed", [1]],
      ],
    )
  })
})
