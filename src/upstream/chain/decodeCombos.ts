import { usdc } from "#src/domain/amounts.ts"
import type { ModuleOperation } from "#src/domain/ComboKind.ts"
import { lastArrayAt } from "./arrays.ts"
import type { ComboPrepared, ModuleExchange } from "./events.ts"
import {
  addressAt,
  expectShape,
  expectTopics,
  numberAt,
  type RawLog,
  topicCondition31,
  usdcAt,
  wordAt,
} from "./words.ts"

export const comboPrepared = (log: RawLog): ComboPrepared => {
  expectTopics(log, 2)
  return { _tag: "ComboPrepared", condition: topicCondition31(log, 1), legs: lastArrayAt(log, 0, 1, wordAt) }
}

/** A change of a combo without collateral. */
export const comboExchange =
  (operation: ModuleOperation, topics: number, words: number) =>
  (log: RawLog, module: string): ModuleExchange => {
    expectShape(log, topics, words)
    return { _tag: "ModuleExchange", module, operation, paid: usdc(0) }
  }

/** NO of a combo becomes YES of several. */
export const convertedToYesBasket = (log: RawLog, module: string): ModuleExchange => {
  expectTopics(log, 3)
  numberAt(log, 1)
  lastArrayAt(log, 0, 2, addressAt)
  return { _tag: "ModuleExchange", module, operation: "convert_to_yes_basket", paid: usdc(0) }
}

/** Legs that are resolved leave the combo; NO is paid for those that lost. */
export const comboCompressed = (log: RawLog, module: string): ModuleExchange => {
  expectShape(log, 4, 4)
  return { _tag: "ModuleExchange", module, operation: "compress", paid: usdcAt(log, 3) }
}
