import { address, exchanges, feeModules, ledgers, modules, ramps } from "./contracts.ts"
import { topic } from "./topics.ts"

/** Which logs to give, as nodes are asked. */
export interface LogFilter {
  readonly address: ReadonlyArray<string>
  readonly topics: ReadonlyArray<ReadonlyArray<string> | null>
}

const contract = (digits: string) => `0x${digits}`
const asTopic = (digits: string) => `0x${digits.padStart(64, "0")}`

/** Whatever moves tokens or says what they are worth or made of. Of all that the venue's contracts say it is about half. */
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

/** Collateral that comes in or goes out by a ramp; adapters exchange it all the time. */
export const rampLogs: LogFilter = {
  address: [contract(address.pusd)],
  topics: [[topic.wrapped, topic.unwrapped], [...ramps].map(asTopic)],
}

/** Who gave up collateral: a ramp does not say whose it was. */
export const burnLogs: LogFilter = {
  address: [contract(address.pusd)],
  topics: [[topic.transfer], null, [asTopic(address.zero)]],
}

/** Everything that the ledger wants. */
export const wantedLogs: ReadonlyArray<LogFilter> = [tokenLogs, rampLogs, burnLogs]

const exchangeTopics = new Set([...exchanges].map(asTopic))

/** An exchange that moves shares between maker and taker: the fills say it, and it is a quarter of all logs. */
export const isSettlement = ([kind = "", operator = ""]: ReadonlyArray<string>): boolean =>
  kind.toLowerCase() === topic.transferSingle && exchangeTopics.has(operator.toLowerCase())
