import { Schema } from "effect"

const Hex = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]*$/))

const Log = Schema.Struct({ address: Hex, topics: Schema.Array(Hex), data: Hex, logIndex: Hex })

/** Fields of a node's receipt; what it repeats in every log may stand at the transaction instead. */
export const TransactionLogs = Schema.Struct({
  hash: Hex,
  blockNumber: Hex,
  timestamp: Schema.optionalKey(Hex),
  logs: Schema.Array(Log),
})
export type TransactionLogs = typeof TransactionLogs.Type

/** A file with transactions, such as a scenario of `test/fixtures/chain-logs`. */
export const Scenario = Schema.Struct({ transactions: Schema.Array(TransactionLogs) })
export type Scenario = typeof Scenario.Type
