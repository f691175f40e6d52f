import { lastArrayAt, lastBytesAt } from "./arrays.ts"
import type {
  NegRiskConversion,
  NegRiskMarketPrepared,
  NegRiskMerge,
  NegRiskOutcomeReported,
  NegRiskQuestionPrepared,
  NegRiskRedemption,
  NegRiskSplit,
} from "./events.ts"
import {
  expectShape,
  expectTopics,
  flagAt,
  numberAt,
  type RawLog,
  sharesAt,
  topicAddress,
  topicBits,
  topicWord,
  usdcAt,
} from "./words.ts"

const negRiskPair = (log: RawLog) => {
  expectShape(log, 3, 1)
  return { holder: topicAddress(log, 1), condition: topicWord(log, 2), amount: sharesAt(log, 0) }
}

export const negRiskSplit = (log: RawLog): NegRiskSplit => ({ _tag: "NegRiskSplit", ...negRiskPair(log) })
export const negRiskMerge = (log: RawLog): NegRiskMerge => ({ _tag: "NegRiskMerge", ...negRiskPair(log) })

export const negRiskRedemption = (log: RawLog): NegRiskRedemption => {
  expectTopics(log, 3)
  return {
    _tag: "NegRiskRedemption",
    holder: topicAddress(log, 1),
    condition: topicWord(log, 2),
    amounts: lastArrayAt(log, 0, 2, sharesAt),
    payout: usdcAt(log, 1),
  }
}

export const negRiskConversion = (log: RawLog): NegRiskConversion => {
  expectShape(log, 4, 1)
  return {
    _tag: "NegRiskConversion",
    holder: topicAddress(log, 1),
    market: topicWord(log, 2),
    questions: topicBits(log, 3),
    amount: sharesAt(log, 0),
  }
}

export const marketPrepared = (log: RawLog): NegRiskMarketPrepared => {
  expectTopics(log, 3)
  return {
    _tag: "NegRiskMarketPrepared",
    market: topicWord(log, 1),
    oracle: topicAddress(log, 2),
    data: lastBytesAt(log, 1, 2),
    feeBips: numberAt(log, 0),
  }
}

export const questionPrepared = (log: RawLog): NegRiskQuestionPrepared => {
  expectTopics(log, 3)
  return {
    _tag: "NegRiskQuestionPrepared",
    market: topicWord(log, 1),
    question: topicWord(log, 2),
    data: lastBytesAt(log, 1, 2),
    index: numberAt(log, 0),
  }
}

export const outcomeReported = (log: RawLog): NegRiskOutcomeReported => {
  expectShape(log, 3, 1)
  return {
    _tag: "NegRiskOutcomeReported",
    market: topicWord(log, 1),
    question: topicWord(log, 2),
    outcome: flagAt(log, 0),
  }
}
