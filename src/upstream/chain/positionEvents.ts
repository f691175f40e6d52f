import type { Shares, Usdc } from "#src/domain/amounts.ts"
import type { ModuleOperation } from "#src/domain/ComboKind.ts"

export interface ConditionPreparation {
  readonly _tag: "ConditionPreparation"
  readonly condition: string
  readonly oracle: string
  readonly question: string
  readonly outcomes: number
}
export interface ConditionResolution {
  readonly _tag: "ConditionResolution"
  readonly condition: string
  readonly oracle: string
  readonly question: string
  /** In proportion; one per outcome. */
  readonly payouts: ReadonlyArray<number>
}
interface CtfPartition {
  readonly holder: string
  readonly collateral: string
  readonly parent: string
  readonly condition: string
  readonly partition: ReadonlyArray<number>
  readonly amount: Shares
}
export interface CtfSplit extends CtfPartition {
  readonly _tag: "CtfSplit"
}
export interface CtfMerge extends CtfPartition {
  readonly _tag: "CtfMerge"
}
/** Redeems all shares that the holder has of the named outcomes. */
export interface CtfRedemption {
  readonly _tag: "CtfRedemption"
  readonly holder: string
  readonly collateral: string
  readonly parent: string
  readonly condition: string
  readonly indexSets: ReadonlyArray<number>
  readonly payout: Usdc
}

interface NegRiskPair {
  readonly holder: string
  readonly condition: string
  readonly amount: Shares
}
export interface NegRiskSplit extends NegRiskPair {
  readonly _tag: "NegRiskSplit"
}
export interface NegRiskMerge extends NegRiskPair {
  readonly _tag: "NegRiskMerge"
}
export interface NegRiskRedemption {
  readonly _tag: "NegRiskRedemption"
  readonly holder: string
  readonly condition: string
  /** Redeemed shares, by outcome. */
  readonly amounts: ReadonlyArray<Shares>
  readonly payout: Usdc
}
export interface NegRiskConversion {
  readonly _tag: "NegRiskConversion"
  readonly holder: string
  readonly market: string
  /** Indexes of the questions whose NO is converted, ascending. */
  readonly questions: ReadonlyArray<number>
  readonly amount: Shares
}
export interface NegRiskMarketPrepared {
  readonly _tag: "NegRiskMarketPrepared"
  readonly market: string
  readonly oracle: string
  readonly feeBips: number
  readonly data: string
}
export interface NegRiskQuestionPrepared {
  readonly _tag: "NegRiskQuestionPrepared"
  readonly market: string
  readonly question: string
  readonly index: number
  readonly data: string
}
export interface NegRiskOutcomeReported {
  readonly _tag: "NegRiskOutcomeReported"
  readonly market: string
  readonly question: string
  /** Whether YES. */
  readonly outcome: boolean
}

export interface QuestionResolved {
  readonly _tag: "QuestionResolved"
  readonly question: string
  /** In 10⁻¹⁸; sometimes a sentinel, such as the smallest integer. */
  readonly settledPrice: bigint
  readonly payouts: ReadonlyArray<number>
}

export interface ModuleSplit {
  readonly _tag: "ModuleSplit"
  readonly module: string
  readonly initiator: string
  readonly condition: string
  /** Recipients of the first and the second outcome. */
  readonly recipients: readonly [string, string]
  readonly amount: Shares
}
export interface ModuleMerge {
  readonly _tag: "ModuleMerge"
  readonly module: string
  readonly initiator: string
  readonly condition: string
  readonly recipient: string
  readonly amount: Shares
}
export interface ModuleRedemption {
  readonly _tag: "ModuleRedemption"
  readonly module: string
  readonly initiator: string
  readonly token: string
  readonly recipient: string
  readonly amount: Shares
  readonly payout: Usdc
}
export interface ModuleResolution {
  readonly _tag: "ModuleResolution"
  readonly module: string
  readonly condition: string
  /** They add up to a million. */
  readonly payouts: ReadonlyArray<number>
}
/** Follows a resolution: every other condition of the neg-risk event is NO, without a log of its own. */
export interface RemainingConditionsNo {
  readonly _tag: "RemainingConditionsNo"
  readonly module: string
  readonly event: string
}
/** Follows a resolution: every named condition of the neg-risk event is NO, so the synthetic one is YES. */
export interface SyntheticConditionYes {
  readonly _tag: "SyntheticConditionYes"
  readonly module: string
  readonly condition: string
}
/** Repeats a resolution and names the reporter. */
export interface ResultReported {
  readonly _tag: "ResultReported"
  readonly module: string
  readonly condition: string
}
/**
 * A module burned some tokens of a wallet and minted others: a split or merge over a whole event, a conversion, or a
 * change of a combo. The moves before the log show which tokens, in one case those after it.
 */
export interface ModuleExchange {
  readonly _tag: "ModuleExchange"
  readonly module: string
  readonly operation: ModuleOperation
  /** Collateral that the wallet receives, or pays (negative). */
  readonly paid: Usdc
  readonly isBeforeMoves?: true
}
/** Ends a sequence of changes of combos that the router made with tokens and collateral of a wallet. */
export interface SequenceEnded {
  readonly _tag: "SequenceEnded"
  readonly wallet: string
  /** How many operations it consisted of. */
  readonly operations: number
}
export interface ComboPrepared {
  readonly _tag: "ComboPrepared"
  readonly condition: string
  /** Tokens that must all win. */
  readonly legs: ReadonlyArray<string>
}
/** A condition of the older contracts, and its name in Protocol V2. */
export interface MigrationRegistered {
  readonly _tag: "MigrationRegistered"
  readonly module: string
  readonly condition: string
  readonly legacy: string
}
/** Shares of an older condition, which the module keeps, became shares of its name in Protocol V2. */
export interface PositionMigrated {
  readonly _tag: "PositionMigrated"
  readonly module: string
  readonly wallet: string
  readonly token: string
  readonly amount: Shares
}

export interface AutoRedemption {
  readonly _tag: "AutoRedemption"
  readonly wallet: string
  readonly token: string
  readonly payout: Usdc
}
export interface AutoBinaryRedemption {
  readonly _tag: "AutoBinaryRedemption"
  readonly wallet: string
  readonly condition: string
  readonly payout: Usdc
}
export interface AutoNegRiskRedemption {
  readonly _tag: "AutoNegRiskRedemption"
  readonly wallet: string
  readonly condition: string
  readonly payout: Usdc
}
