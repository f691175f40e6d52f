/** A log as a contract emits it. */
export interface RawLog {
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** Says why a log is not what it should be. Reasons are few and without values, so that they can be counted. */
export class Undecodable extends Error {}

const wordDigits = 64
const mostDigits = 14
const beforeNumber = "0".repeat(wordDigits - mostDigits)
const beforeAddress = "0".repeat(24)
const zeroWord = "0".repeat(wordDigits)
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER)

/** Where a word begins, after the 0x. */
const startOf = (place: number) => 2 + place * wordDigits

/** So many topics, the event's name among them, and so many words of data. */
export const expectShape = (log: RawLog, topics: number, words: number): void => {
  expectTopics(log, topics)
  expectWords(log, words)
}

export const expectTopics = (log: RawLog, topics: number): void => {
  if (log.topics.length !== topics) throw new Undecodable("another number of topics")
}

export const expectWords = ({ data }: RawLog, words: number): void => {
  const digits = startOf(words)
  if (data.length !== digits) throw new Undecodable(data.length < digits ? "too little data" : "too much data")
}

/** The digits of a word of the data. */
export const wordAt = ({ data }: RawLog, place: number): string => data.slice(startOf(place), startOf(place + 1))

const [zero, a] = ["0".charCodeAt(0), "a".charCodeAt(0)] as const

/** Of text that is known to be lower-case hexadecimal. */
const digitAt = (text: string, place: number): number => {
  const code = text.charCodeAt(place)
  return code < a ? code - zero : code - a + 10
}

const numberFrom = (text: string, start: number): number => {
  if (!text.startsWith(beforeNumber, start)) throw new Undecodable("a number beyond 2^53 - 1")
  let value = 0
  for (let i = start + beforeNumber.length; i < start + wordDigits; i++) value = value * 16 + digitAt(text, i)
  if (value > Number.MAX_SAFE_INTEGER) throw new Undecodable("a number beyond 2^53 - 1")
  return value
}

const addressFrom = (text: string, start: number): string => {
  if (!text.startsWith(beforeAddress, start)) throw new Undecodable("no address")
  return text.slice(start + beforeAddress.length, start + wordDigits)
}

export const numberAt = ({ data }: RawLog, place: number): number => numberFrom(data, startOf(place))
export const addressAt = ({ data }: RawLog, place: number): string => addressFrom(data, startOf(place))

const truth = (value: number): boolean => {
  if (value > 1) throw new Undecodable("neither yes nor no")
  return value === 1
}
export const flagAt = (log: RawLog, place: number): boolean => truth(numberAt(log, place))

/** A token, where 0 stands for collateral. */
export const tokenAt = (log: RawLog, place: number): string | undefined => unlessZero(wordAt(log, place))
export const unlessZero = (word: string): string | undefined => (word === zeroWord ? undefined : word)

export const topicWord = ({ topics }: RawLog, place: number): string => (topics[place] ?? "").slice(2)
export const topicAddress = ({ topics }: RawLog, place: number): string => addressFrom(topics[place] ?? "", 2)
export const topicNumber = ({ topics }: RawLog, place: number): number => numberFrom(topics[place] ?? "", 2)
export const topicSigned = (log: RawLog, place: number): bigint =>
  BigInt.asIntN(256, BigInt(`0x${topicWord(log, place)}`))

/** A condition of Protocol V2. */
export const topicCondition31 = (log: RawLog, place: number): string => {
  const word = topicWord(log, place)
  if (!word.endsWith("00")) throw new Undecodable("more than 31 bytes")
  return word
}

/** Places of the bits that are set, ascending. */
export const topicBits = (log: RawLog, place: number): ReadonlyArray<number> => {
  const word = topicWord(log, place)
  const bits: Array<number> = []
  for (let digit = wordDigits - 1; digit >= 0; digit--) {
    const value = Number.parseInt(word.charAt(digit), 16)
    for (let bit = 0; bit < 4; bit++) if ((value >> bit) & 1) bits.push((wordDigits - 1 - digit) * 4 + bit)
  }
  return bits
}

/** An allowance, which most set to more than there is. */
export const allowanceAt = (log: RawLog, place: number): number | "unlimited" =>
  BigInt(`0x${wordAt(log, place)}`) > maxSafe ? "unlimited" : numberAt(log, place)
