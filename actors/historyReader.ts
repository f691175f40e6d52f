import { fillHistory } from "#src/history/fillHistory.ts"
import { actor } from "#src/mesh/Actor.ts"

/** Reads history behind the head. */
export const historyReader = actor("history-reader", fillHistory)
