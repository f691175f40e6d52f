import { Effect } from "effect"
import { makeYieldBudget } from "#src/platform/process/yieldBudget.ts"

/** Items of a long list that are handled at a time. */
export const partItems = 500

/** Items of long lists that all clients together have handled in one turn of the event loop, about 5 ms of work. */
const spend = makeYieldBudget(2_000)

/** Waits until the current turn of the event loop has room for work on this many items, so that live delivery goes on. */
export const itemsTurn = (items: number): Effect.Effect<void> =>
  items <= partItems ? Effect.void : Effect.promise(() => spend(items))

/** Waits for room before every part of a long list. */
export const partTurn: Effect.Effect<void> = Effect.promise(() => spend(partItems))

/** Does work whose steps yield the number of items that they handled. */
export const inTurns = async (work: Iterable<number>): Promise<void> => {
  for (const items of work) await spend(items)
}
