import { Schema } from "effect"

const hexOf = (pattern: RegExp, expected: string) =>
  Schema.String.check(Schema.isPattern(pattern, { expected, message: `Expected ${expected}` }))

const Word = hexOf(/^0x[0-9a-f]{64}$/i, "0x and 64 hexadecimal digits")
/** Below 2⁵². */
const Quantity = hexOf(/^0x[0-9a-f]{1,13}$/i, "a number as 0x and 1 to 13 hexadecimal digits")

const Log = Schema.Struct({
  address: hexOf(/^0x[0-9a-f]{40}$/i, "0x and 40 hexadecimal digits"),
  topics: Schema.Array(Word).check(Schema.isMaxLength(4)),
  data: hexOf(/^0x([0-9a-f]{2})*$/i, "0x and hexadecimal digits, two for each byte"),
  logIndex: Quantity,
})

/** Fields of a node's receipt; what it repeats in every log may stand at the transaction instead. */
export const TransactionLogs = Schema.Struct({
  hash: Word,
  blockNumber: Quantity,
  timestamp: Schema.optionalKey(Quantity),
  logs: Schema.Array(Log),
})
export type TransactionLogs = typeof TransactionLogs.Type

/** A file with transactions, such as a scenario of `test/fixtures/chain-logs`. */
export const Scenario = Schema.Struct({ transactions: Schema.Array(TransactionLogs) })
export type Scenario = typeof Scenario.Type
