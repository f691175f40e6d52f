import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { partsOf } from "#src/ticks/segments/parts.ts"
import { Segment } from "#src/ticks/segments/Segment.ts"
import { SegmentCache } from "#src/ticks/segments/SegmentCache.ts"
import { runsOf, segmentIndex, segmentMillis, segmentStart } from "#src/ticks/segments/segmentTimes.ts"

const version = { table: 1, revision: 0 }

const rowOf = (at: number, padding: number) => `,{"id":"${at}-0","data":"${"x".repeat(padding)}"}`

const segmentOf = (rows: ReadonlyArray<string>) => new Segment(Buffer.from(rows.join("")), rows.length, version)

/** Rows of any length in order of time, possibly with equal times from two sources. */
const rows = fc.array(fc.record({ step: fc.nat(3), padding: fc.nat(5) }), { maxLength: 60 }).map((steps) => {
  let at = 1_794_700_800_000
  return steps.map(({ step, padding }) => {
    at += step
    return { at, text: rowOf(at, padding) }
  })
})

describe("Segment", () => {
  it("is cut between rows at any moment", () => {
    fc.assert(
      fc.property(rows, fc.nat(200), (all, offset) => {
        const at = 1_794_700_800_000 + offset - 5
        const segment = segmentOf(all.map(({ text }) => text))
        const before = segment.rowsBefore(at)
        assert.strictEqual(before, all.filter((row) => row.at < at).length)
        const start = segment.offsetOf(before)
        assert.strictEqual(
          segment.bytes.toString("latin1", start),
          all
            .slice(before)
            .map(({ text }) => text)
            .join(""),
        )
      }),
      { seed: 6, numRuns: 500 },
    )
  })

  it("returns the offset of every row and the end of the last one", () => {
    const texts = [rowOf(1_794_700_800_000, 3), rowOf(1_794_700_801_000, 0)]
    const segment = segmentOf(texts)
    assert.deepStrictEqual(
      [0, 1, 2].map((row) => segment.offsetOf(row)),
      [0, texts[0]?.length, segment.bytes.length],
    )
    assert.deepStrictEqual([segmentOf([]).offsetOf(0), segmentOf([]).rowsBefore(5)], [0, 0])
  })
})

describe("SegmentCache", () => {
  it("keeps the most recently used segments within its limit", () => {
    const key = fc.integer({ min: 0, max: 12 })
    const step = fc.record({ key, isRead: fc.boolean(), padding: fc.integer({ min: 1, max: 2_000 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const limit = 6_000
        const cache = new SegmentCache(() => limit)
        let expected: Array<{ readonly key: number; readonly segment: Segment }> = []
        const total = () => expected.reduce((sum, { segment }) => sum + segment.size, 0)
        for (const { key, isRead, padding } of steps) {
          const known = expected.find((each) => each.key === key)
          if (isRead) {
            assert.strictEqual(cache.get(String(key)), known?.segment)
            if (known !== undefined) expected = [...expected.filter((each) => each !== known), known]
          } else {
            const segment = segmentOf([rowOf(1, padding)])
            cache.set(String(key), segment)
            expected = [...expected.filter((each) => each !== known), { key, segment }]
            if (total() > limit) while (total() > (limit * 15) / 16) expected.shift()
          }
          assert.strictEqual(cache.bytes, total())
          assert.isAtMost(cache.bytes, limit)
        }
      }),
      { seed: 6, numRuns: 300 },
    )
  })
})

describe("runsOf and partsOf", () => {
  it("runsOf returns runs of consecutive segments within a day", () => {
    const indexLists = fc.uniqueArray(fc.nat(400), { maxLength: 150 }).map((list) => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(indexLists, (indexes) => {
        const runs = runsOf(indexes.map((index) => ({ index }))).map((run) => run.map(({ index }) => index))
        assert.deepStrictEqual(runs.flat(), indexes)
        for (const run of runs) {
          const [first = 0, last = 0] = [run[0], run.at(-1)]
          assert.strictEqual(last - first, run.length - 1)
          assert.strictEqual(Math.floor(first / 144), Math.floor(last / 144))
          assert.isAtMost(run.length, 12)
        }
      }),
      { seed: 6 },
    )
  })

  it("partsOf reads open segments every time and takes the others from the cache", () => {
    const first = segmentIndex(1_794_700_800_000)
    const newest = segmentStart(first + 3) + 60_000
    const size = { rows: 600, bytes: 150_000 }
    const state = {
      newest,
      revisions: new Map([[first + 1, 7]]),
      sizes: new Map([[first + 1, size]]),
      tables: new Map([[first / 144, 42]]),
    }
    const range = { from: segmentStart(first + 1) + 5, to: segmentStart(first + 5) - 9 }
    const segmentPart = (index: number, revision: number) => ({
      _tag: "segment" as const,
      index,
      version: { table: 42, revision },
      size: revision === 7 ? size : undefined,
    })
    assert.deepStrictEqual(partsOf(state, range, first + 1, first + 4), [
      segmentPart(first + 1, 7),
      { _tag: "read", from: segmentStart(first + 2), to: segmentStart(first + 3) },
      { _tag: "read", from: segmentStart(first + 3), to: segmentStart(first + 4) },
      segmentPart(first + 4, 0),
    ])
    const narrow = { from: newest, to: newest + 1000 }
    assert.deepStrictEqual(partsOf(state, narrow, first + 3, first + 3), [{ _tag: "read", ...narrow }])
    assert.isEmpty(partsOf({ ...state, tables: new Map() }, range, first + 1, first + 4))
    assert.strictEqual(segmentMillis * 144, 86_400_000)
  })
})
