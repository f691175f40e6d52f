import { Effect } from "effect"
import type { BoardsSubject, ViewsSubject } from "../support/boards.ts"
import { openLedger } from "../support/largeLedger.ts"
import type { Line } from "../support/report.ts"
import { inTurns } from "../support/rounds.ts"
import { startSubject } from "../support/Subject.ts"
import { median } from "../support/statistics.ts"

const rounds = 14
/** About ten seconds of the chain: what a refresh finds. */
const blocksEach = 6
const patience = "580 seconds"

const count = (value: number) => value.toLocaleString("en")

const open = Effect.fnUntraced(function* (extent: "whole" | "half", times: number) {
  const { environment } = yield* openLedger(extent)
  const boards = yield* startSubject<BoardsSubject>("ours/boards.ts", environment, patience)
  yield* boards.ask("restore")
  const rebuilt = yield* Effect.forEach(Array.from({ length: times }), () => boards.ask("rebuild"))
  return { boards, environment, rebuilt: median(rebuilt), sizes: yield* boards.ask("sizes") }
})

/** All boards from nothing, the next ten seconds, and whether that depends on how much was before. */
export const growth = Effect.gen(function* () {
  const half = yield* open("half", 1)
  const whole = yield* open("whole", 3)
  const views = yield* startSubject<ViewsSubject>("rivals/boardViews.ts", {}, patience)
  const made = yield* views.ask("make", whole.environment["DATABASE_URL"] ?? "")
  const scanned = median([yield* views.ask("scan"), yield* views.ask("scan"), yield* views.ask("scan")])

  const moved = yield* inTurns(rounds, {
    whole: Effect.suspend(() => whole.boards.ask("advance", blocksEach)),
    half: Effect.suspend(() => half.boards.ask("advance", blocksEach)),
  })
  const refreshed = yield* views.ask("refresh")
  yield* views.ask("drop")
  const back = yield* whole.boards.ask("takeBack", 3)
  yield* whole.boards.ask("restore")
  yield* half.boards.ask("restore")

  const millis = (extent: "whole" | "half") => moved[extent].map((each) => each.millis)
  const fills = median(moved.whole.map((each) => each.fills))
  const lines: ReadonlyArray<Line> = [
    {
      what: `all boards anew, over ${count(whole.sizes.fills)} fills`,
      unit: "s",
      ours: whole.rebuilt,
      alternative: { name: "materialized views", value: made },
      limit: { name: "reading the sums' rows", value: scanned },
      ratio: { to: "their time", value: whole.rebuilt / made },
      goal: { most: 30 },
    },
    {
      what: `  the next ${blocksEach} blocks, ${fills} fills`,
      unit: "ms",
      ours: median(millis("whole")),
      alternative: { name: "views refreshed", value: refreshed * 1000 },
      ratio: { to: "their time", value: median(millis("whole")) / (refreshed * 1000) },
      goal: { most: 500 },
    },
    { what: `  the slowest of ${rounds}`, unit: "ms", ours: Math.max(...millis("whole")), goal: { most: 500 } },
    { what: "  3 blocks taken back", unit: "ms", ours: back, goal: { most: 500 } },
    {
      what: `  the same blocks after half of it, ${count(half.sizes.fills)} fills`,
      unit: "ms",
      ours: median(millis("half")),
      ratio: { to: "it after all", value: median(millis("half")) / median(millis("whole")) },
    },
    { what: "  all boards of the half anew", unit: "s", ours: half.rebuilt },
  ]
  const { events, positions, wallets, rows } = whole.sizes
  const notes = [
    `the boards: ${count(rows)} rows from ${count(events)} realized events and ${count(positions)} positions of ${count(wallets)} wallets`,
    "the half is the same ledger without the older half of its facts",
  ]
  return { lines, notes, rounds: { moved, half: half.rebuilt, sizes: { whole: whole.sizes, half: half.sizes } } }
}).pipe(Effect.scoped)
