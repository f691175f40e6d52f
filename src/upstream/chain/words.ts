import type { Amount, Shares, Usdc } from "#src/domain/amounts.ts"

/** A log as emitted by a contract. */
export interface RawLog {
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** Why a log cannot be decoded. Reasons are few and contain no values, so that they can be counted. */
export class DecodeError extends Error {}

const wordDigits = 64
const mostDigits = 14
const beforeNumber = "0".repeat(wordDigits - mostDigits)
const beforeAddress = "0".repeat(24)
const zeroWord = "0".repeat(wordDigits)
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

/** Offset of a word, after the 0x. */
const startOf = (index: number) => 2 + index * wordDigits

/** Checks the number of topics, including the event's own, and of data words. */
export const expectShape = (log: RawLog, topics: number, words: number): void => {
  expectTopics(log, topics)
  expectWords(log, words)
}

export const expectTopics = (log: RawLog, topics: number): void => {
  if (log.topics.length !== topics) throw new DecodeError("wrong number of topics")
}

export const expectWords = ({ data }: RawLog, words: number): void => {
  const digits = startOf(words)
  if (data.length !== digits) throw new DecodeError(data.length < digits ? "too little data" : "too much data")
}

/** The digits of a data word. */
export const wordAt = ({ data }: RawLog, index: number): string => data.slice(startOf(index), startOf(index + 1))

const [zero, a] = ["0".charCodeAt(0), "a".charCodeAt(0)] as const

/** The text must be lower-case hexadecimal. */
const digitAt = (text: string, index: number): number => {
  const code = text.charCodeAt(index)
  return code < a ? code - zero : code - a + 10
}

const numberFrom = (text: string, start: number): number => {
  if (!text.startsWith(beforeNumber, start)) throw new DecodeError("number above 2^53 - 1")
  let value = 0
  for (let i = start + beforeNumber.length; i < start + wordDigits; i++) value = value * 16 + digitAt(text, i)
  if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError("number above 2^53 - 1")
  return value
}

const addressFrom = (text: string, start: number): string => {
  if (!text.startsWith(beforeAddress, start)) throw new DecodeError("not an address")
  return text.slice(start + beforeAddress.length, start + wordDigits)
}

export const numberAt = ({ data }: RawLog, index: number): number => numberFrom(data, startOf(index))
export const usdcAt = numberAt as (log: RawLog, index: number) => Usdc
export const sharesAt = numberAt as (log: RawLog, index: number) => Shares

/**
 * More shares than all collateral of the venue could back. Anyone can mint tokens of a collateral of their own, and sums of
 * such amounts would not fit into the ledger's columns.
 */
export const mostShares = 10 ** 15

/** The shares that a transfer moves. */
export const movedSharesAt = (log: RawLog, index: number): Shares => {
  const moved = sharesAt(log, index)
  if (moved > mostShares) throw new DecodeError("more shares than collateral")
  return moved
}

/** Of a fee, whose token the log names. */
export const feeAt = numberAt as (log: RawLog, index: number) => Amount
export const addressAt = ({ data }: RawLog, index: number): string => addressFrom(data, startOf(index))

const toBoolean = (value: number): boolean => {
  if (value > 1) throw new DecodeError("not a boolean")
  return value === 1
}
export const flagAt = (log: RawLog, index: number): boolean => toBoolean(numberAt(log, index))

/** A token; undefined (0 on the wire) is collateral. */
export const tokenAt = (log: RawLog, index: number): string | undefined => unlessZero(wordAt(log, index))
export const unlessZero = (word: string): string | undefined => (word === zeroWord ? undefined : word)

export const topicWord = ({ topics }: RawLog, index: number): string => (topics[index] ?? "").slice(2)
export const topicAddress = ({ topics }: RawLog, index: number): string => addressFrom(topics[index] ?? "", 2)
export const topicNumber = ({ topics }: RawLog, index: number): number => numberFrom(topics[index] ?? "", 2)
export const topicSigned = (log: RawLog, index: number): bigint =>
  BigInt.asIntN(256, BigInt(`0x${topicWord(log, index)}`))

/** A condition of Protocol V2, 31 bytes. */
export const topicCondition31 = (log: RawLog, index: number): string => {
  const word = topicWord(log, index)
  if (!word.endsWith("00")) throw new DecodeError("more than 31 bytes")
  return word
}

/** Indexes of the set bits, ascending. */
export const topicBits = (log: RawLog, index: number): ReadonlyArray<number> => {
  const word = topicWord(log, index)
  const bits: Array<number> = []
  for (let digit = wordDigits - 1; digit >= 0; digit--) {
    const value = Number.parseInt(word.charAt(digit), 16)
    for (let bit = 0; bit < 4; bit++) if ((value >> bit) & 1) bits.push((wordDigits - 1 - digit) * 4 + bit)
  }
  return bits
}

/** An allowance; most exceed any amount. */
export const allowanceAt = (log: RawLog, index: number): Usdc | "unlimited" =>
  BigInt(`0x${wordAt(log, index)}`) > maxSafe ? "unlimited" : usdcAt(log, index)
