import { negated, usdc } from "#src/domain/amounts.ts"
import { lastArrayAt } from "./arrays.ts"
import type {
  AutoBinaryRedemption,
  AutoNegRiskRedemption,
  AutoRedemption,
  MigrationRegistered,
  ModuleExchange,
  ModuleMerge,
  ModuleRedemption,
  ModuleResolution,
  ModuleSplit,
  PositionMigrated,
  RemainingConditionsNo,
  ResultReported,
  SyntheticConditionYes,
} from "./events.ts"
import {
  addressAt,
  expectShape,
  expectTopics,
  numberAt,
  type RawLog,
  sharesAt,
  topicAddress,
  topicCondition31,
  topicWord,
  usdcAt,
} from "./words.ts"

export const moduleSplit = (log: RawLog, module: string): ModuleSplit => {
  expectShape(log, 4, 2)
  return {
    _tag: "ModuleSplit",
    module,
    initiator: topicAddress(log, 1),
    condition: topicCondition31(log, 2),
    recipients: [topicAddress(log, 3), addressAt(log, 0)],
    amount: sharesAt(log, 1),
  }
}

export const moduleMerge = (log: RawLog, module: string): ModuleMerge => {
  expectShape(log, 4, 1)
  return {
    _tag: "ModuleMerge",
    module,
    initiator: topicAddress(log, 1),
    condition: topicCondition31(log, 2),
    recipient: topicAddress(log, 3),
    amount: sharesAt(log, 0),
  }
}

export const moduleRedemption = (log: RawLog, module: string): ModuleRedemption => {
  expectShape(log, 4, 2)
  return {
    _tag: "ModuleRedemption",
    module,
    initiator: topicAddress(log, 1),
    token: topicWord(log, 2),
    recipient: topicAddress(log, 3),
    amount: sharesAt(log, 0),
    payout: usdcAt(log, 1),
  }
}

export const moduleResolution = (log: RawLog, module: string): ModuleResolution => {
  expectTopics(log, 2)
  return {
    _tag: "ModuleResolution",
    module,
    condition: topicCondition31(log, 1),
    payouts: lastArrayAt(log, 0, 1, numberAt),
  }
}

export const resultReported = (log: RawLog, module: string): ResultReported => {
  expectTopics(log, 3)
  lastArrayAt(log, 0, 1, numberAt)
  return { _tag: "ResultReported", module, condition: topicCondition31(log, 2) }
}

export const remainingConditionsNo = (log: RawLog, module: string): RemainingConditionsNo => {
  expectShape(log, 2, 0)
  return { _tag: "RemainingConditionsNo", module, event: topicWord(log, 1) }
}

export const syntheticConditionYes = (log: RawLog, module: string): SyntheticConditionYes => {
  expectShape(log, 3, 0)
  return { _tag: "SyntheticConditionYes", module, condition: topicCondition31(log, 2) }
}

/** One YES of every condition of an event, for collateral. */
export const horizontalSplit = (log: RawLog, module: string): ModuleExchange => {
  expectShape(log, 4, 1)
  return { _tag: "ModuleExchange", module, operation: "horizontal_split", paid: negated(usdcAt(log, 0)) }
}

export const horizontalMerge = (log: RawLog, module: string): ModuleExchange => {
  expectShape(log, 4, 1)
  return { _tag: "ModuleExchange", module, operation: "horizontal_merge", paid: usdcAt(log, 0) }
}

/** NO of one condition for YES of all others. */
export const positionConverted = (log: RawLog, module: string): ModuleExchange => {
  expectShape(log, 4, 2)
  return { _tag: "ModuleExchange", module, operation: "convert", paid: usdc(0) }
}

export const migrationRegistered = (log: RawLog, module: string): MigrationRegistered => {
  expectShape(log, 3, 0)
  return { _tag: "MigrationRegistered", module, condition: topicCondition31(log, 1), legacy: topicWord(log, 2) }
}

export const positionMigrated = (log: RawLog, module: string): PositionMigrated => {
  expectShape(log, 4, 2)
  return {
    _tag: "PositionMigrated",
    module,
    wallet: topicAddress(log, 1),
    token: topicWord(log, 3),
    amount: sharesAt(log, 1),
  }
}

export const autoRedemption = (log: RawLog): AutoRedemption => {
  expectShape(log, 3, 1)
  return { _tag: "AutoRedemption", wallet: topicAddress(log, 1), token: topicWord(log, 2), payout: usdcAt(log, 0) }
}

const byCondition = (log: RawLog) => {
  expectShape(log, 3, 1)
  return { wallet: topicAddress(log, 1), condition: topicWord(log, 2), payout: usdcAt(log, 0) }
}

export const autoBinaryRedemption = (log: RawLog): AutoBinaryRedemption => ({
  _tag: "AutoBinaryRedemption",
  ...byCondition(log),
})

export const autoNegRiskRedemption = (log: RawLog): AutoNegRiskRedemption => ({
  _tag: "AutoNegRiskRedemption",
  ...byCondition(log),
})
