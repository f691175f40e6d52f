import { fillHistory } from "#src/history/fillHistory.ts"
import { historyLease } from "#src/history/historyLease.ts"
import { actor } from "#src/mesh/Actor.ts"

/** Reads history behind the head. */
export const historyReader = actor(historyLease, fillHistory)
