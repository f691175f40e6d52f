import { fieldOf, OddReply } from "./answers.ts"

export interface BlockHeader {
  readonly number: number
  /** 64 digits, without 0x. */
  readonly hash: string
  readonly parentHash: string
  /** Milliseconds UTC. */
  readonly at: number
  /** How many there are, where the node says it: news of a block lack them. */
  readonly transactions?: number
}

const hash = /^0x[0-9a-f]{64}$/i
const quantity = /^0x[0-9a-f]{1,13}$/i

const textOf = (block: unknown, name: string, shape: RegExp): string => {
  const value = fieldOf(block, name)
  if (typeof value !== "string" || !shape.test(value)) throw new OddReply(`a block: its ${name} is none`)
  return value
}

const digitsOf = (block: unknown, name: string) => textOf(block, name, hash).slice(2).toLowerCase()

const transactionsOf = (block: unknown) => {
  const transactions = fieldOf(block, "transactions")
  return Array.isArray(transactions) ? { transactions: transactions.length } : {}
}

/** The part of a block that matters, of the dozens of fields that nodes give. */
export const readHeader = (block: unknown): BlockHeader => ({
  number: Number(textOf(block, "number", quantity)),
  hash: digitsOf(block, "hash"),
  parentHash: digitsOf(block, "parentHash"),
  at: Number(textOf(block, "timestamp", quantity)) * 1000,
  ...transactionsOf(block),
})

/** The answer about one block, which the node may not have. */
export const readBlock = (number: number, block: unknown): BlockHeader | undefined => {
  if (block === null) return undefined
  const header = readHeader(block)
  if (header.number !== number) throw new OddReply(`block ${header.number} in the place of ${number}`)
  return header
}
