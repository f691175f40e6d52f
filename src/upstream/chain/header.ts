import { fieldOf, MalformedReply } from "./answers.ts"

export interface BlockHeader {
  readonly number: number
  /** 64 digits, without 0x. */
  readonly hash: string
  readonly parentHash: string
  /** Milliseconds UTC. */
  readonly at: number
  /** Number of transactions; missing in notifications of new blocks. */
  readonly transactions?: number
}

const hash = /^0x[0-9a-f]{64}$/i
const quantity = /^0x[0-9a-f]{1,13}$/i

const textOf = (answer: unknown, name: string, shape: RegExp): string => {
  const value = fieldOf(answer, name)
  if (typeof value !== "string" || !shape.test(value)) throw new MalformedReply(`malformed ${name}`)
  return value
}

const digitsOf = (block: unknown, name: string) => textOf(block, name, hash).slice(2).toLowerCase()

const transactionsOf = (block: unknown) => {
  const transactions = fieldOf(block, "transactions")
  return Array.isArray(transactions) ? { transactions: transactions.length } : {}
}

/** Reads the used fields of a block. */
export const readHeader = (block: unknown): BlockHeader => ({
  number: Number(textOf(block, "number", quantity)),
  hash: digitsOf(block, "hash"),
  parentHash: digitsOf(block, "parentHash"),
  at: Number(textOf(block, "timestamp", quantity)) * 1000,
  ...transactionsOf(block),
})

/** Reads the block number of a transaction; undefined if the node does not know it, or it is not in a block yet. */
export const readBlockOfTransaction = (transaction: unknown): number | undefined =>
  transaction === null || fieldOf(transaction, "blockNumber") === null
    ? undefined
    : Number(textOf(transaction, "blockNumber", quantity))

/** Reads the answer about one block; undefined if the node lacks it. */
export const readBlock = (number: number, block: unknown): BlockHeader | undefined => {
  if (block === null) return undefined
  const header = readHeader(block)
  if (header.number !== number) throw new MalformedReply(`block ${header.number} instead of ${number}`)
  return header
}
