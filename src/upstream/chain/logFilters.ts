import {
  address,
  comboOperators,
  exchanges,
  feeModules,
  ledgers,
  makerPayers,
  modules,
  venueContracts,
} from "./contracts.ts"
import { isKnown } from "./machinery.ts"
import { topic } from "./topics.ts"

/** Parameters of `eth_getLogs`. */
export interface LogFilter {
  readonly address: ReadonlyArray<string>
  readonly topics: ReadonlyArray<ReadonlyArray<string> | null>
}

const contract = (digits: string) => `0x${digits}`
const asTopic = (digits: string) => `0x${digits.padStart(64, "0")}`

/** Logs that move tokens or define their value: about half of all logs of the venue's contracts. */
const tokenLogs: LogFilter = {
  address: [...exchanges, ...feeModules, ...ledgers, ...modules, address.negRiskAdapter, address.router].map(contract),
  topics: [
    [
      topic.orderFilled1,
      topic.orderFilled2,
      topic.feeCharged1,
      topic.feeCharged2,
      topic.feeRefunded,
      topic.feeWithdrawn,
      topic.transferSingle,
      topic.transferBatch,
      topic.ctfSplit,
      topic.ctfMerge,
      topic.ctfRedemption,
      topic.conditionResolution,
      topic.negRiskConversion,
      topic.moduleSplit,
      topic.moduleMerge,
      topic.moduleRedemption,
      topic.moduleResolution,
      topic.remainingConditionsNo,
      topic.syntheticConditionYes,
      topic.horizontalSplit,
      topic.horizontalMerge,
      topic.positionConverted,
      topic.migrationRegistered,
      topic.positionMigrated,
      topic.comboPrepared,
      topic.comboCompressed,
      topic.comboWrapped,
      topic.comboUnwrapped,
      topic.comboExtracted,
      topic.comboInjected,
      topic.splitOnCondition,
      topic.mergedOnCondition,
      topic.convertedToYesBasket,
      topic.mergedFromYesBasket,
      topic.splitOnEvent,
      topic.mergedOnEvent,
      topic.convertedOnEvent,
      topic.sequenceEnded,
    ],
  ],
}

/**
 * Exchanges of USDC and pUSD, and pUSD on its way to be exchanged: the log of the exchange does not name its owner. The third
 * topic is the asset of an exchange and the receiver of a transfer.
 */
const pusdLogs: LogFilter = {
  address: [contract(address.pusd)],
  topics: [
    [topic.wrapped, topic.unwrapped, topic.transfer],
    null,
    [address.usdc, address.usdce, address.pusd].map(asTopic),
  ],
}

/**
 * Collateral that the neg-risk adapter pays out, because the log of a conversion names neither the payout nor the fee, and
 * payments of the venue to its makers.
 */
const payoutLogs: LogFilter = {
  address: [address.usdce, address.pusd].map(contract),
  topics: [[topic.transfer], [address.wrappedCollateral, ...makerPayers.keys()].map(asTopic)],
}

/** All logs that the ledger needs. */
export const wantedLogs: ReadonlyArray<LogFilter> = [tokenLogs, pusdLogs, payoutLogs]

/** Permissions that wallets give to the contracts of combos. Streams tell them of new blocks; the ledger does not need them. */
const approvalLogs: ReadonlyArray<LogFilter> = [
  { address: [contract(address.positionManager)], topics: [[topic.approvalForAll]] },
  { address: [contract(address.pusd)], topics: [[topic.approval], null, [...comboOperators.keys()].map(asTopic)] },
]

/** The venue's own contracts, as nodes write them. */
export const watchedContracts: ReadonlyArray<string> = [...venueContracts].map(contract)

/**
 * Every log of the venue's contracts, also of unknown kinds, with what the ledger needs of other contracts. One call instead
 * of two, because providers charge by the call; the other logs of those contracts are dropped here. Twice as many as the
 * ledger needs, so that history is read without them.
 */
export const allLogs: LogFilter = { address: [...watchedContracts, contract(address.usdce)], topics: [] }

/**
 * All logs that the ledger needs in one filter, with all transfers of collateral, which are dropped here. It is for nodes
 * that limit ranges to so few blocks that the number of calls matters more than the number of logs.
 */
export const mergedLogs: LogFilter = {
  address: [...new Set(wantedLogs.flatMap((filter) => filter.address))],
  topics: [[...new Set(wantedLogs.flatMap(({ topics }) => topics[0] ?? []))]],
}

/** Filters with at most so many addresses that together select the same logs. */
export const inParts = (filters: ReadonlyArray<LogFilter>, most: number): ReadonlyArray<LogFilter> =>
  filters.flatMap(({ address: all, topics }) => {
    const size = Math.min(most, all.length)
    const count = Math.ceil(all.length / size)
    return Array.from({ length: count }, (_, i) => ({ address: all.slice(i * size, (i + 1) * size), topics }))
  })

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
}

const matches = (log: Log, filter: LogFilter) =>
  filter.address.includes(log.address.toLowerCase()) &&
  filter.topics.every((wanted, i) => wanted === null || wanted.includes(log.topics[i]?.toLowerCase() ?? ""))

/** Whether the ledger needs a log. */
export const isWanted = (log: Log): boolean => wantedLogs.some((filter) => matches(log, filter))

const isApproval = (log: Log): boolean => approvalLogs.some((filter) => matches(log, filter))

/** Whether the follower must look at a log: the ledger or a stream needs it, or its kind is unknown. */
export const isRelevant = (log: Log): boolean => isWanted(log) || isApproval(log) || !isKnown(log)

const exchangeTopics = new Set([...exchanges].map(asTopic))

/** An exchange's transfer between maker and taker: the fills cover it, and it is a quarter of all logs. */
export const isSettlement = ([kind = "", operator = ""]: ReadonlyArray<string>): boolean =>
  kind.toLowerCase() === topic.transferSingle && exchangeTopics.has(operator.toLowerCase())
