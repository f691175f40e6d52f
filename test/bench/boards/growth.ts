import { Effect } from "effect"
import type { BoardsSubject, ViewsSubject } from "../support/boards.ts"
import { openLedger } from "../support/largeLedger.ts"
import type { Line } from "../support/report.ts"
import { interleave } from "../support/rounds.ts"
import { startSubject } from "../support/Subject.ts"
import { median } from "../support/statistics.ts"

const rounds = 14
/** About ten seconds of the chain: one refresh interval. */
const blocksEach = 6
const timeout = "580 seconds"

const count = (value: number) => value.toLocaleString("en")

const open = Effect.fnUntraced(function* (extent: "whole" | "half", times: number) {
  const { environment } = yield* openLedger(extent)
  const boards = yield* startSubject<BoardsSubject>("ours/boards.ts", environment, timeout)
  yield* boards.call("restore")
  const rebuilt = yield* Effect.forEach(Array.from({ length: times }), () => boards.call("rebuild"))
  return { boards, environment, rebuilt: median(rebuilt), sizes: yield* boards.call("sizes") }
})

/** A full rebuild, a refresh of the next ten seconds, and whether the refresh time depends on the length of the history. */
export const growth = Effect.gen(function* () {
  const half = yield* open("half", 1)
  const whole = yield* open("whole", 3)
  const views = yield* startSubject<ViewsSubject>("rivals/boardViews.ts", {}, timeout)
  const created = yield* views.call("create", whole.environment["DATABASE_URL"] ?? "")
  const scanned = median([yield* views.call("scan"), yield* views.call("scan"), yield* views.call("scan")])

  const advanced = yield* interleave(rounds, {
    whole: Effect.suspend(() => whole.boards.call("advance", blocksEach)),
    half: Effect.suspend(() => half.boards.call("advance", blocksEach)),
  })
  const refreshed = yield* views.call("refresh")
  yield* views.call("drop")
  const retracted = yield* whole.boards.call("retract", 3)
  yield* whole.boards.call("restore")
  yield* half.boards.call("restore")

  const millis = (extent: "whole" | "half") => advanced[extent].map((each) => each.millis)
  const fills = median(advanced.whole.map((each) => each.fills))
  const lines: ReadonlyArray<Line> = [
    {
      what: `rebuild of all boards, over ${count(whole.sizes.fills)} fills`,
      unit: "s",
      ours: whole.rebuilt,
      alternative: { name: "materialized views", value: created },
      limit: { name: "reading the source rows", value: scanned },
      ratio: { to: "their time", value: whole.rebuilt / created },
      goal: { most: 30 },
    },
    {
      what: `  refresh after ${blocksEach} blocks, ${fills} fills`,
      unit: "ms",
      ours: median(millis("whole")),
      alternative: { name: "views refreshed", value: refreshed * 1000 },
      ratio: { to: "their time", value: median(millis("whole")) / (refreshed * 1000) },
      goal: { most: 500 },
    },
    { what: `  slowest of ${rounds}`, unit: "ms", ours: Math.max(...millis("whole")), goal: { most: 500 } },
    { what: "  3 blocks retracted", unit: "ms", ours: retracted, goal: { most: 500 } },
    {
      what: `  same blocks on half of the history, ${count(half.sizes.fills)} fills`,
      unit: "ms",
      ours: median(millis("half")),
      ratio: { to: "the whole history", value: median(millis("half")) / median(millis("whole")) },
    },
    { what: "  rebuild of all boards, half of the history", unit: "s", ours: half.rebuilt },
  ]
  const { events, positions, wallets, rows } = whole.sizes
  const notes = [
    `the boards: ${count(rows)} rows from ${count(events)} realized events and ${count(positions)} positions of ${count(wallets)} wallets`,
    "the half ledger is the same ledger without the older half of its facts",
  ]
  return { lines, notes, rounds: { advanced, half: half.rebuilt, sizes: { whole: whole.sizes, half: half.sizes } } }
}).pipe(Effect.scoped)
