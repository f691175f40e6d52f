import type * as Position from "./positionEvents.ts"
import type * as Trading from "./tradingEvents.ts"

export type * from "./positionEvents.ts"
export type * from "./tradingEvents.ts"

/**
 * A decoded log of the venue, in one shape for all generations of its contracts.
 *
 * Hexadecimal is lower-case and without 0x throughout: addresses 40 digits; tokens, conditions, questions, order hashes
 * and builders 64. A condition of Protocol V2 has 31 bytes and ends in 00. Amounts are whole numbers of 10⁻⁶.
 */
export type ChainEvent =
  | Trading.OrderFilled
  | Trading.OrdersMatched
  | Trading.FeeCharged
  | Trading.FeeRefunded
  | Trading.FeeWithdrawn
  | Trading.TokenRegistered
  | Trading.TransferSingle
  | Trading.TransferBatch
  | Trading.ApprovalForAll
  | Trading.CollateralTransfer
  | Trading.CollateralApproval
  | Trading.CollateralWrapped
  | Trading.CollateralUnwrapped
  | Position.ConditionPreparation
  | Position.ConditionResolution
  | Position.CtfSplit
  | Position.CtfMerge
  | Position.CtfRedemption
  | Position.NegRiskSplit
  | Position.NegRiskMerge
  | Position.NegRiskRedemption
  | Position.NegRiskConversion
  | Position.NegRiskMarketPrepared
  | Position.NegRiskQuestionPrepared
  | Position.NegRiskOutcomeReported
  | Position.QuestionResolved
  | Position.ModuleSplit
  | Position.ModuleMerge
  | Position.ModuleRedemption
  | Position.ModuleResolution
  | Position.RemainingConditionsNo
  | Position.SyntheticConditionYes
  | Position.ResultReported
  | Position.ModuleExchange
  | Position.SequenceEnded
  | Position.ComboPrepared
  | Position.MigrationRegistered
  | Position.PositionMigrated
  | Position.AutoRedemption
  | Position.AutoBinaryRedemption
  | Position.AutoNegRiskRedemption
