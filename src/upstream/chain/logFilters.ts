import { address, exchanges, feeModules, ledgers, modules, ramps } from "./contracts.ts"
import { topic } from "./topics.ts"

/** Parameters of `eth_getLogs`. */
export interface LogFilter {
  readonly address: ReadonlyArray<string>
  readonly topics: ReadonlyArray<ReadonlyArray<string> | null>
}

const contract = (digits: string) => `0x${digits}`
const asTopic = (digits: string) => `0x${digits.padStart(64, "0")}`

/** Logs that move tokens or define their value or parts: about half of all logs of the venue's contracts. */
export const tokenLogs: LogFilter = {
  address: [...exchanges, ...feeModules, ...ledgers, ...modules, address.negRiskAdapter].map(contract),
  topics: [
    [
      topic.orderFilled1,
      topic.orderFilled2,
      topic.feeCharged1,
      topic.feeCharged2,
      topic.feeRefunded,
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
      topic.comboPrepared,
      topic.migrationRegistered,
    ],
  ],
}

/** Deposits and withdrawals by a ramp; adapters' own exchanges are left out. */
export const rampLogs: LogFilter = {
  address: [contract(address.pusd)],
  topics: [[topic.wrapped, topic.unwrapped], [...ramps].map(asTopic)],
}

/** Burns of collateral: a ramp's log does not name the owner. */
export const burnLogs: LogFilter = {
  address: [contract(address.pusd)],
  topics: [[topic.transfer], null, [asTopic(address.zero)]],
}

/** All logs that the ledger needs. */
export const wantedLogs: ReadonlyArray<LogFilter> = [tokenLogs, rampLogs, burnLogs]

const exchangeTopics = new Set([...exchanges].map(asTopic))

/** An exchange's transfer between maker and taker: the fills cover it, and it is a quarter of all logs. */
export const isSettlement = ([kind = "", operator = ""]: ReadonlyArray<string>): boolean =>
  kind.toLowerCase() === topic.transferSingle && exchangeTopics.has(operator.toLowerCase())
