import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { LocalWindows } from "#src/limits/LocalWindows.ts"
import { type Buckets, decisionsOf } from "#src/limits/model.ts"
import { Reference } from "./reference.ts"
import { positions, traces } from "./traces.ts"

const keysOf = (owner: string, buckets: Buckets) => buckets.map(({ name }) => `${owner}/${name}`)

describe("LocalWindows", () => {
  it("decide like a plain list of times, over random traces", () => {
    const agrees = fc.property(traces({ clock: "forward only" }), (steps) => {
      const windows = new LocalWindows(100)
      const reference = new Reference()
      for (const step of steps) {
        const decision = windows.take(keysOf(step.owner, step.buckets), step.buckets, step.count, step.at)
        assert.deepStrictEqual(
          positions(step).map(decisionsOf(step.buckets, decision)),
          positions(step).map(() => reference.take(step.owner, step.buckets, step.at)),
        )
      }
    })
    fc.assert(agrees, { numRuns: process.env.PRESAGE_SOAK === "1" ? 10_000 : 100 })
  })

  const five: Buckets = [{ name: "standard", limit: 5, windowMillis: 60_000 }]

  it("include other processes' admissions, even beyond the limit", () => {
    const windows = new LocalWindows(100)
    windows.record(["a"], five, 4, 1)
    assert.deepInclude(windows.take(["a"], five, 3, 2), { admitted: 1 })
    windows.record(["a"], five, 2, 3)
    // Seven are in the window: a request is possible when three have left it.
    assert.deepStrictEqual(windows.take(["a"], five, 1, 4), {
      admitted: 0,
      states: [{ remaining: 0, freeAt: 60_000_001 }],
    })
    assert.deepInclude(windows.take(["a"], five, 9, 60_000_001), { admitted: 2 })
  })

  it("drop the least recently used owner when there are too many", () => {
    const windows = new LocalWindows(2)
    windows.record(["a"], five, 5, 1)
    windows.record(["b"], five, 5, 2)
    assert.deepInclude(windows.take(["a"], five, 1, 3), { admitted: 0 })
    windows.record(["c"], five, 5, 4)
    assert.deepInclude(windows.take(["a"], five, 1, 5), { admitted: 0 })
    assert.deepInclude(windows.take(["b"], five, 1, 6), { admitted: 1 })
  })

  it("return their current admissions once, without expired ones", () => {
    const windows = new LocalWindows(100)
    windows.record(["old"], five, 2, 1)
    windows.record(["new"], five, 3, 60_000_000)
    assert.deepStrictEqual(windows.takeAll(60_000_001), [{ key: "new", bucket: five[0], count: 3 }])
    assert.deepStrictEqual(windows.takeAll(60_000_001), [])
  })
})
