import { Effect, Stream } from "effect"
import { firstUndoable } from "#src/ledger/positions/firstUndoable.ts"
import { recompute } from "#src/ledger/positions/recompute.ts"
import { eventDifferences, positionDifferences, undoDifferences } from "../positionDifferences.ts"
import { type Check, check, type Picture } from "./Check.ts"

const remedy = "run: presage rebuild positions"

/** Computes anew what follows from the facts and compares it, a part of the chain at a time. */
export const checkPositions = Effect.fnUntraced(function* ({ sql, startedFrom: first, block: last, depth }: Picture) {
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
      `${stored} are what the facts say`,
      `${differing.length + surplus.length} of ${stored} are not what the facts say (${holdings.size} there should be); ${remedy}`,
    ),
    check(
      "realized",
      wrong.events,
      `${counted.events} gains and losses add up`,
      `${wrong.events} gains and losses are not what the facts say (${counted.events} there should be); ${remedy}`,
    ),
    check(
      "undo",
      wrong.undo,
      `${counted.undo} changes of positions can be taken back`,
      `${wrong.undo} changes of positions cannot be taken back rightly; ${remedy}`,
    ),
  ]
  return checks
})
