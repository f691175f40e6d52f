import { lastArrayAt } from "./arrays.ts"
import type {
  ConditionPreparation,
  ConditionResolution,
  CtfMerge,
  CtfRedemption,
  CtfSplit,
  QuestionResolved,
} from "./events.ts"
import {
  addressAt,
  DecodeError,
  expectShape,
  expectTopics,
  numberAt,
  type RawLog,
  sharesAt,
  topicAddress,
  topicSigned,
  topicWord,
  usdcAt,
  wordAt,
} from "./words.ts"

export const conditionPreparation = (log: RawLog): ConditionPreparation => {
  expectShape(log, 4, 1)
  return {
    _tag: "ConditionPreparation",
    condition: topicWord(log, 1),
    oracle: topicAddress(log, 2),
    question: topicWord(log, 3),
    outcomes: numberAt(log, 0),
  }
}

export const conditionResolution = (log: RawLog): ConditionResolution => {
  expectTopics(log, 4)
  const payouts = lastArrayAt(log, 1, 2, numberAt)
  if (payouts.length !== numberAt(log, 0)) throw new DecodeError("arrays of different lengths")
  return {
    _tag: "ConditionResolution",
    condition: topicWord(log, 1),
    oracle: topicAddress(log, 2),
    question: topicWord(log, 3),
    payouts,
  }
}

const ctfPartition = (log: RawLog) => {
  expectTopics(log, 4)
  return {
    holder: topicAddress(log, 1),
    parent: topicWord(log, 2),
    condition: topicWord(log, 3),
    partition: lastArrayAt(log, 1, 3, numberAt),
    collateral: addressAt(log, 0),
    amount: sharesAt(log, 2),
  }
}

export const ctfSplit = (log: RawLog): CtfSplit => ({ _tag: "CtfSplit", ...ctfPartition(log) })
export const ctfMerge = (log: RawLog): CtfMerge => ({ _tag: "CtfMerge", ...ctfPartition(log) })

export const ctfRedemption = (log: RawLog): CtfRedemption => {
  expectTopics(log, 4)
  return {
    _tag: "CtfRedemption",
    holder: topicAddress(log, 1),
    collateral: topicAddress(log, 2),
    parent: topicWord(log, 3),
    indexSets: lastArrayAt(log, 1, 3, numberAt),
    condition: wordAt(log, 0),
    payout: usdcAt(log, 2),
  }
}

export const questionResolved = (log: RawLog): QuestionResolved => {
  expectTopics(log, 3)
  return {
    _tag: "QuestionResolved",
    question: topicWord(log, 1),
    settledPrice: topicSigned(log, 2),
    payouts: lastArrayAt(log, 0, 1, numberAt),
  }
}
