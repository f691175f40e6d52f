import { Effect, Stream } from "effect"
import { recompute } from "#src/ledger/positions/recompute.ts"
import { firstUndoable } from "#src/ledger/positions/undo.ts"
import { eventDifferences, positionDifferences, undoDifferences } from "../positionDifferences.ts"
import { type Check, check, type VerifySnapshot } from "./Check.ts"

const remedy = "run: presage rebuild positions"

/** Recomputes positions, realized events and undo rows from the facts, part by part, and compares them. */
export const checkPositions = Effect.fnUntraced(function* ({
  sql,
  startedFrom: first,
  block: last,
  depth,
}: VerifySnapshot) {
  const undoableFrom = yield* firstUndoable(sql, last, depth)
  const { holdings, steps } = yield* recompute(sql, { first, last, undoableFrom })
  const [outside] = yield* sql<{ n: number }>`
    select count(*)::int as n from realized_event where block < ${first} or block > ${last}`
  const wrong = { events: outside?.n ?? 0, undo: 0 }
  const counted = { events: 0, undo: 0 }
  yield* Stream.runForEach(steps, (step) =>
    Effect.gen(function* () {
      counted.events += step.events.length
      wrong.events += (yield* eventDifferences(sql, step)).rows
      if (step.first < undoableFrom) return
      for (const touched of step.undo.values()) counted.undo += touched.length
      wrong.undo += (yield* undoDifferences(sql, step)).rows
    }),
  )
  const { stored, wrong: differing, surplus } = yield* positionDifferences(sql, holdings)
  const checks: ReadonlyArray<Check> = [
    check(
      "positions",
      differing.length + surplus.length,
      `${stored} match the facts`,
      `${differing.length + surplus.length} of ${stored} do not match the facts (expected ${holdings.size}); ${remedy}`,
    ),
    check(
      "realized",
      wrong.events,
      `${counted.events} gains and losses match the facts`,
      `${wrong.events} gains and losses do not match the facts (expected ${counted.events}); ${remedy}`,
    ),
    check(
      "undo",
      wrong.undo,
      `${counted.undo} changes of positions can be undone`,
      `${wrong.undo} changes of positions cannot be undone correctly; ${remedy}`,
    ),
  ]
  return checks
})
