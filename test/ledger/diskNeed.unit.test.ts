import { assert, describe, it } from "@effect/vitest"
import {
  bytesBehind,
  bytesPerFill,
  daysThatFit,
  derivedBytesPerFill,
  type HeldHistory,
  missingBytes,
} from "#src/ledger/diskNeed.ts"
import { parseGoal } from "#src/ledger/historyGoal.ts"
import { whyFewer } from "#src/roles/historyDisk.ts"

const day = 86_400_000
const now = Date.UTC(2026, 10, 17)
const venue = { fills: 1_000, fillsPerDay: 10 }

/** In fills. */
const missing = (goal: string, held?: HeldHistory) => {
  const bytes = missingBytes(parseGoal(goal, false), venue, now, held)
  return bytes === undefined ? undefined : bytes / (bytesPerFill + derivedBytesPerFill)
}

const held = (firstDaysAgo: number, lastDaysAgo = 0): HeldHistory => ({
  first: { block: 100_000 - firstDaysAgo * 1_000, at: now - firstDaysAgo * day },
  last: { block: 100_000 - lastDaysAgo * 1_000, at: now - lastDaysAgo * day },
})

describe("the disk that a history needs", () => {
  it("grows with its days, up to all that the venue has", () => {
    assert.strictEqual(missing("none"), 0)
    assert.strictEqual(missing("30d"), 300)
    assert.strictEqual(missing("since:2026-11-07"), 100)
    assert.strictEqual(missing("9999d"), 1_000)
    assert.strictEqual(missing("all"), 1_000)
  })

  it("counts only what the ledger lacks, before its first block and after its last", () => {
    assert.strictEqual(missing("30d", held(10)), 200)
    assert.strictEqual(missing("30d", held(30)), 0)
    assert.strictEqual(missing("30d", held(90)), 0, "a longer history than wanted")
    assert.strictEqual(missing("all", held(10)), 900)
    assert.strictEqual(missing("30d", held(30, 12)), 120, "the head is not reached yet")
  })

  it("of a block follows from the blocks in the ledger, and is unknown without one", () => {
    assert.isUndefined(missing("since:80000"))
    assert.isUndefined(missing("since:80000", held(0)))
    assert.strictEqual(missing("since:80000", held(5)), 150)
  })

  const perDay = venue.fillsPerDay * (bytesPerFill + derivedBytesPerFill)
  const days = (free: number, has?: HeldHistory) => daysThatFit(30, free, venue, now, has)

  it("bounds the days of a history that nobody asked for by name, and leaves a quarter of the room", () => {
    assert.strictEqual(days(40 * perDay), 30)
    assert.strictEqual(days(40 * perDay - 1), 29)
    assert.strictEqual(days(4 * perDay), 3)
    assert.strictEqual(days(perDay), 0)
    assert.strictEqual(days(0), 0)
    // What the ledger has already needs no room, but new blocks do.
    assert.strictEqual(days(4 * perDay, held(20)), 20)
    assert.strictEqual(days(0, held(20)), 20)
    assert.strictEqual(days(20 * perDay, held(10)), 22)
    assert.strictEqual(days(4 * perDay, held(20, 10)), 3)
  })

  it("is not extended at every start, until the disk is full", () => {
    const room = 24 * perDay
    const first = days(room)
    assert.strictEqual(first, 18)
    // Some more days are read before each start, and some pass.
    for (const [read, passed] of [
      [1, 0],
      [9, 0],
      [17, 1],
      [18, 0],
      [20, 2],
    ] as const) {
      const free = room - (read - passed) * perDay
      assert.isAtMost(days(free, held(read, passed)), Math.max(first, read), `${read} days are read`)
    }
  })

  it("is not said to be shortened once it is read", () => {
    const need = { missing: 2 * perDay, behind: 2 * perDay, autoDays: 18 }
    assert.match(whyFewer(need) ?? "", /more than three quarters of what is free.*so that 18 are read/)
    assert.match(whyFewer({ missing: 0, behind: 0, autoDays: 0 }) ?? "", /so that none is read/)
    // Blocks of the time in which it did not run are missing still.
    assert.isUndefined(whyFewer({ ...need, behind: bytesBehind({ _tag: "Days", days: 18 }, venue, now, held(18, 1)) }))
    assert.isUndefined(whyFewer({ ...need, autoDays: 30 }))
  })
})
