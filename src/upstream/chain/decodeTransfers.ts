import { arrayAt, lastArrayAt } from "./arrays.ts"
import type {
  ApprovalForAll,
  CollateralApproval,
  CollateralTransfer,
  CollateralUnwrapped,
  CollateralWrapped,
  TransferBatch,
  TransferSingle,
} from "./events.ts"
import {
  allowanceAt,
  DecodeError,
  expectShape,
  expectTopics,
  flagAt,
  mostShares,
  movedSharesAt,
  type RawLog,
  topicAddress,
  usdcAt,
  wordAt,
} from "./words.ts"

export const transferSingle = (log: RawLog, contract: string): TransferSingle => {
  expectShape(log, 4, 2)
  return {
    _tag: "TransferSingle",
    contract,
    operator: topicAddress(log, 1),
    from: topicAddress(log, 2),
    to: topicAddress(log, 3),
    token: wordAt(log, 0),
    amount: movedSharesAt(log, 1),
  }
}

export const transferBatch = (log: RawLog, contract: string): TransferBatch => {
  expectTopics(log, 4)
  const { values: tokens, end } = arrayAt(log, 0, 2, wordAt)
  const amounts = lastArrayAt(log, 1, end, movedSharesAt)
  if (tokens.length !== amounts.length) throw new DecodeError("arrays of different lengths")
  if (amounts.reduce((sum, amount) => sum + amount, 0) > mostShares)
    throw new DecodeError("more shares than collateral")
  return {
    _tag: "TransferBatch",
    contract,
    operator: topicAddress(log, 1),
    from: topicAddress(log, 2),
    to: topicAddress(log, 3),
    tokens,
    amounts,
  }
}

export const approvalForAll = (log: RawLog, contract: string): ApprovalForAll => {
  expectShape(log, 3, 1)
  return {
    _tag: "ApprovalForAll",
    contract,
    owner: topicAddress(log, 1),
    operator: topicAddress(log, 2),
    approved: flagAt(log, 0),
  }
}

export const collateralTransfer = (log: RawLog, asset: string): CollateralTransfer => {
  expectShape(log, 3, 1)
  return {
    _tag: "CollateralTransfer",
    asset,
    from: topicAddress(log, 1),
    to: topicAddress(log, 2),
    amount: usdcAt(log, 0),
  }
}

export const collateralApproval = (log: RawLog): CollateralApproval => {
  expectShape(log, 3, 1)
  return {
    _tag: "CollateralApproval",
    owner: topicAddress(log, 1),
    spender: topicAddress(log, 2),
    amount: allowanceAt(log, 0),
  }
}

const collateralExchange = (log: RawLog) => {
  expectShape(log, 4, 1)
  return {
    caller: topicAddress(log, 1),
    asset: topicAddress(log, 2),
    to: topicAddress(log, 3),
    amount: usdcAt(log, 0),
  }
}

export const collateralWrapped = (log: RawLog): CollateralWrapped => ({
  _tag: "CollateralWrapped",
  ...collateralExchange(log),
})

export const collateralUnwrapped = (log: RawLog): CollateralUnwrapped => ({
  _tag: "CollateralUnwrapped",
  ...collateralExchange(log),
})
