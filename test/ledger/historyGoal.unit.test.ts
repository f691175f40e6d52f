import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type HistoryGoal, parseGoal } from "#src/ledger/historyGoal.ts"
import { historyGoal } from "#src/ledger/settings.ts"
import * as Setting from "#src/platform/config/Setting.ts"

const goals: ReadonlyArray<readonly [string, HistoryGoal]> = [
  ["all", { _tag: "All" }],
  ["none", { _tag: "None" }],
  ["30d", { _tag: "Days", days: 30 }],
  ["since:75000000", { _tag: "Block", block: 75_000_000 }],
  ["since:2026-10-01", { _tag: "Time", at: Date.UTC(2026, 9, 1) }],
]

describe("LEDGER_HISTORY", () => {
  it("is everything, nothing, some days, or since a block or a date", () => {
    for (const [text, goal] of goals) {
      assert.strictEqual(Result.getOrThrow(Setting.read(historyGoal, text)), text)
      assert.deepStrictEqual(parseGoal(text, false), goal)
    }
  })

  it("is 30 days of the real venue and everything of the simulated one by default", () => {
    assert.deepStrictEqual(parseGoal(historyGoal.default, false), { _tag: "Days", days: 30 })
    assert.deepStrictEqual(parseGoal(historyGoal.default, true), { _tag: "All" })
    assert.deepStrictEqual(parseGoal(historyGoal.default, false, 9), { _tag: "Days", days: 9 })
    assert.deepStrictEqual(parseGoal(historyGoal.default, false, 0), { _tag: "None" })
  })

  it("refuses dates that do not exist and everything else", () => {
    for (const text of [
      "since:2026-13-01",
      "since:2026-00-10",
      "since:2026-01-32",
      "since:",
      "0d",
      "-1d",
      "30",
      "lots",
      "",
    ]) {
      assert.isTrue(Result.isFailure(Setting.read(historyGoal, text)), text)
    }
  })
})
