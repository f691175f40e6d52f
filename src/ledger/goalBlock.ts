import { Clock, Effect } from "effect"
import { dayMillis } from "#src/domain/time.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { HistoryGoal } from "./historyGoal.ts"

/** The first block at or after a time, by bisection. A time before `low` gives `low`. */
const blockAt = Effect.fnUntraced(function* (at: number, low: number, high: number) {
  const node = yield* ChainNode
  let [from, to] = [low, high]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const header = yield* node.header(middle)
    // A node that has deleted its oldest blocks has none here, so the goal is further up.
    if (header === undefined || header.at < at) from = middle + 1
    else to = middle
  }
  return from
})

/** The first block that the goal includes; the head if it includes no history. */
export const goalBlock = Effect.fnUntraced(function* (goal: HistoryGoal, venueFrom: number, head: number) {
  switch (goal._tag) {
    case "All":
      return venueFrom
    case "None":
      return head
    case "Block":
      return Math.min(head, Math.max(venueFrom, goal.block))
    case "Days":
      return yield* blockAt((yield* Clock.currentTimeMillis) - goal.days * dayMillis, venueFrom, head)
    case "Time":
      return yield* blockAt(goal.at, venueFrom, head)
  }
})
