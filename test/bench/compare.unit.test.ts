import { assert, describe, it } from "@effect/vitest"
import { changes, refusals, renderChanges } from "./support/compare.ts"
import type { Result, SavedLine } from "./support/results.ts"

const machine = { node: "v22.23.3", arch: "x64", cpu: "a processor", cpus: 2, load: 0.1 }

const resultOf = (
  lines: ReadonlyArray<SavedLine>,
  { busy = 0.02, ...more }: Partial<Result["machine"]> & { busy?: number } = {},
): Result => ({
  at: "2026-11-18T20:00:00.000Z",
  commit: "abcdef0",
  machine: { ...machine, ...more },
  reports: { http: { busy, lines, notes: [] } },
})

const latency = (ours: number): SavedLine => ({ what: "latency, p99", unit: "ms", ours })
const rate = (ours: number): SavedLine => ({ what: "requests", unit: "requests/s", ours })

describe("npm run bench -- --compare", () => {
  it("counts a higher latency and a lower rate as worse, and lists the worst first", () => {
    const found = changes(resultOf([latency(10), rate(1000)]), resultOf([latency(12.5), rate(500)]))
    assert.deepStrictEqual(
      found.map(({ what, gain }) => [what, gain]),
      [
        ["requests", 0.5],
        ["latency, p99", 0.8],
      ],
    )
  })

  it("follows the goal of a line where its unit does not say what is better", () => {
    const counted = (ours: number): SavedLine => ({ what: "sockets", unit: "sockets", ours, goal: { least: 10 } })
    assert.deepStrictEqual(
      changes(resultOf([counted(10)]), resultOf([counted(20)])).map(({ gain }) => gain),
      [2],
    )
    const aimless: SavedLine = { what: "requests made", unit: "requests", ours: 3 }
    assert.deepStrictEqual(changes(resultOf([aimless]), resultOf([{ ...aimless, ours: 9 }])), [])
  })

  it("compares lines of the same name by their position", () => {
    const found = changes(resultOf([latency(1), latency(100)]), resultOf([latency(1), latency(100)]))
    assert.deepStrictEqual(
      found.map(({ gain }) => gain),
      [1, 1],
    )
  })

  it("prints differences above the noise only", () => {
    const text = renderChanges(resultOf([latency(100), rate(100)]), resultOf([latency(103), rate(50)]))
    assert.include(text, "http: requests: 100 → 50 requests/s (50 % worse)")
    assert.notInclude(text, "latency")
  })

  it("refuses results of a busy machine and of different machines", () => {
    const idle = resultOf([latency(1)])
    assert.deepStrictEqual(refusals(idle, idle), [])
    const [busy] = refusals(idle, resultOf([latency(1)], { busy: 0.6 }))
    assert.include(busy, "other programs used 60 % of the processors")
    assert.deepStrictEqual(refusals(idle, resultOf([latency(1)], { arch: "arm64" })), ["arch: x64 and arm64"])
  })
})
