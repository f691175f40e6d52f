import { address, autoRedeemers, feeModules, generations, ledgers, oracleAdapters } from "./contracts.ts"
import * as combos from "./decodeCombos.ts"
import * as conditions from "./decodeConditions.ts"
import * as eventCombos from "./decodeEventCombos.ts"
import * as exchange from "./decodeExchange.ts"
import * as modular from "./decodeModules.ts"
import * as negRisk from "./decodeNegRisk.ts"
import * as transfers from "./decodeTransfers.ts"
import type { ChainEvent } from "./events.ts"
import { topic } from "./topics.ts"
import { DecodeError, type RawLog } from "./words.ts"

type Decode = (log: RawLog, contract: string) => ChainEvent
type Decoders = Readonly<Record<string, Decode>>

const exchange1: Decoders = {
  [topic.orderFilled1]: exchange.orderFilled1,
  [topic.ordersMatched1]: exchange.ordersMatched(1),
  [topic.feeCharged1]: exchange.feeCharged1,
  [topic.tokenRegistered]: exchange.tokenRegistered,
}
const laterExchange = (generation: 2 | 3): Decoders => ({
  [topic.orderFilled2]: exchange.orderFilled2(generation),
  [topic.ordersMatched2]: exchange.ordersMatched(generation),
  [topic.feeCharged2]: exchange.feeCharged2,
})
const tokens: Decoders = {
  [topic.transferSingle]: transfers.transferSingle,
  [topic.transferBatch]: transfers.transferBatch,
  [topic.approvalForAll]: transfers.approvalForAll,
}
const ctf: Decoders = {
  [topic.conditionPreparation]: conditions.conditionPreparation,
  [topic.conditionResolution]: conditions.conditionResolution,
  [topic.ctfSplit]: conditions.ctfSplit,
  [topic.ctfMerge]: conditions.ctfMerge,
  [topic.ctfRedemption]: conditions.ctfRedemption,
}
const negRiskAdapter: Decoders = {
  [topic.negRiskSplit]: negRisk.negRiskSplit,
  [topic.negRiskMerge]: negRisk.negRiskMerge,
  [topic.negRiskRedemption]: negRisk.negRiskRedemption,
  [topic.negRiskConversion]: negRisk.negRiskConversion,
  [topic.marketPrepared]: negRisk.marketPrepared,
  [topic.questionPrepared]: negRisk.questionPrepared,
  [topic.outcomeReported]: negRisk.outcomeReported,
}
const dollars: Decoders = {
  [topic.transfer]: transfers.collateralTransfer,
  [topic.approval]: transfers.collateralApproval,
}
const pusd: Decoders = {
  ...dollars,
  [topic.wrapped]: transfers.collateralWrapped,
  [topic.unwrapped]: transfers.collateralUnwrapped,
}
const module: Decoders = {
  [topic.moduleSplit]: modular.moduleSplit,
  [topic.moduleMerge]: modular.moduleMerge,
  [topic.moduleRedemption]: modular.moduleRedemption,
  [topic.moduleResolution]: modular.moduleResolution,
  [topic.resultReported]: modular.resultReported,
  [topic.migrationRegistered]: modular.migrationRegistered,
  [topic.positionMigrated]: modular.positionMigrated,
}
const negRiskModule: Decoders = {
  ...module,
  [topic.remainingConditionsNo]: modular.remainingConditionsNo,
  [topic.syntheticConditionYes]: modular.syntheticConditionYes,
  [topic.horizontalSplit]: modular.horizontalSplit,
  [topic.horizontalMerge]: modular.horizontalMerge,
  [topic.positionConverted]: modular.positionConverted,
}
const comboModule: Decoders = {
  ...module,
  [topic.comboPrepared]: combos.comboPrepared,
  [topic.comboCompressed]: combos.comboCompressed,
  [topic.splitOnCondition]: combos.comboExchange("split", 3, 5),
  [topic.mergedOnCondition]: combos.comboExchange("merge", 3, 4),
  [topic.comboWrapped]: combos.comboExchange("wrap", 2, 4),
  [topic.comboUnwrapped]: combos.comboExchange("unwrap", 2, 4),
  [topic.comboExtracted]: combos.comboExchange("extract", 3, 5),
  [topic.comboInjected]: combos.comboExchange("inject", 3, 4),
  [topic.convertedToYesBasket]: combos.convertedToYesBasket,
  [topic.mergedFromYesBasket]: combos.comboExchange("merge_from_yes_basket", 3, 2),
  [topic.splitOnEvent]: eventCombos.splitOnEvent,
  [topic.mergedOnEvent]: eventCombos.mergedOnEvent,
  [topic.convertedOnEvent]: eventCombos.convertedOnEvent,
}
const autoRedeemer: Decoders = {
  [topic.autoRedemption]: modular.autoRedemption,
  [topic.autoBinaryRedemption]: modular.autoBinaryRedemption,
  [topic.autoNegRiskRedemption]: modular.autoNegRiskRedemption,
}

const byContract: ReadonlyArray<readonly [string, Decoders]> = [
  ...[...generations].map(
    ([contract, generation]) => [contract, generation === 1 ? exchange1 : laterExchange(generation)] as const,
  ),
  ...[...feeModules].map(
    (contract) =>
      [contract, { [topic.feeRefunded]: exchange.feeRefunded, [topic.feeWithdrawn]: exchange.feeWithdrawn }] as const,
  ),
  ...[...ledgers].map((contract) => [contract, contract === address.ctf ? { ...tokens, ...ctf } : tokens] as const),
  [address.binaryModule, module],
  [address.negRiskModule, negRiskModule],
  [address.comboModule, comboModule],
  [address.router, { [topic.sequenceEnded]: eventCombos.sequenceEnded }],
  [address.negRiskAdapter, negRiskAdapter],
  ...[...oracleAdapters].map(
    (contract) => [contract, { [topic.questionResolved]: conditions.questionResolved }] as const,
  ),
  [address.pusd, pusd],
  [address.usdce, dollars],
  [address.usdc, dollars],
  ...[...autoRedeemers].map((contract) => [contract, autoRedeemer] as const),
]

/** By address with 0x, as in nodes' answers. */
const contracts = new Map(
  byContract.map(([contract, decoders]) => [
    `0x${contract}`,
    { contract, decoders: new Map(Object.entries(decoders)) },
  ]),
)

/** Everything that can be decoded; the ledger requests less. */
export const readableAddresses: ReadonlyArray<string> = [...contracts.keys()]
export const readableTopics: ReadonlyArray<string> = [
  ...new Set(byContract.flatMap(([, decoders]) => Object.keys(decoders))),
]

/** Whether there is a decoder for the events of a contract (with 0x) that have this first topic. */
export const canDecode = (contract: string, first: string): boolean =>
  contracts.get(contract)?.decoders.has(first) ?? false

export interface DecodeFailure {
  readonly _tag: "DecodeFailure"
  readonly reason: string
}

const failure = (reason: string): DecodeFailure => ({ _tag: "DecodeFailure", reason })

const hexadecimal = /^0x[0-9a-f]*$/
const isWord = (text: string) => text.length === 66 && hexadecimal.test(text)
const isPlain = ({ topics, data }: RawLog) => hexadecimal.test(data) && topics.every(isWord)
const lowered = ({ topics, data }: RawLog): RawLog => ({
  topics: topics.map((each) => each.toLowerCase()),
  data: data.toLowerCase(),
})

/** Decodes a log of a known contract. Returns failures instead of throwing them. */
export const decodeLog = (from: string, log: RawLog): ChainEvent | DecodeFailure => {
  const known = contracts.get(from) ?? contracts.get(from.toLowerCase())
  if (known === undefined) return failure("unknown contract")
  // Nodes use lower case; some proxies do not.
  const plain = isPlain(log) ? log : lowered(log)
  if (plain !== log && !isPlain(plain)) return failure("not hexadecimal")
  const decode = known.decoders.get(plain.topics[0] ?? "")
  if (decode === undefined) return failure("unknown event")
  try {
    return decode(plain, known.contract)
  } catch (error) {
    if (error instanceof DecodeError) return failure(error.message)
    throw error
  }
}
