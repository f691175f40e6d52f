import { usdc } from "#src/domain/amounts.ts"
import { lastArrayAt } from "./arrays.ts"
import type { ModuleExchange, SequenceEnded } from "./events.ts"
import { addressAt, expectShape, expectTopics, numberAt, type RawLog, topicAddress } from "./words.ts"

// Published, but in none of the recorded transactions: only the signatures and the order of calls are known.

/** YES of a combo becomes one combo for every condition of a neg-risk event. */
export const splitOnEvent = (log: RawLog, module: string): ModuleExchange => {
  expectTopics(log, 4)
  numberAt(log, 1)
  lastArrayAt(log, 0, 2, addressAt)
  return { _tag: "ModuleExchange", module, operation: "horizontal_split", paid: usdc(0) }
}

export const mergedOnEvent = (log: RawLog, module: string): ModuleExchange => {
  expectShape(log, 4, 2)
  return { _tag: "ModuleExchange", module, operation: "horizontal_merge", paid: usdc(0) }
}

/** A combo with a NO leg becomes one combo for every other condition of its event. */
export const convertedOnEvent = (log: RawLog, module: string): ModuleExchange => {
  expectTopics(log, 4)
  numberAt(log, 2)
  lastArrayAt(log, 1, 3, addressAt)
  return { _tag: "ModuleExchange", module, operation: "convert", paid: usdc(0), isBeforeMoves: true }
}

export const sequenceEnded = (log: RawLog): SequenceEnded => {
  expectShape(log, 2, 1)
  return { _tag: "SequenceEnded", wallet: topicAddress(log, 1), operations: numberAt(log, 0) }
}
