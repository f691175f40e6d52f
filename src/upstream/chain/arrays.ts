import { DecodeError, expectWords, numberAt, type RawLog } from "./words.ts"

/** Number of whole words. */
const wordsOf = ({ data }: RawLog) => Math.floor((data.length - 2) / 64)

const expectAtLeast = (log: RawLog, words: number): void => {
  if (wordsOf(log) < words) throw new DecodeError("too little data")
}

/** Length of the array that the word at `index` points to. Contracts write arrays one after the other, so `begin` is known. */
const lengthOf = (log: RawLog, index: number, begin: number): number => {
  expectAtLeast(log, begin + 1)
  if (numberAt(log, index) !== begin * 32) throw new DecodeError("arrays in another order")
  return numberAt(log, begin)
}

type Read<A> = (log: RawLog, index: number) => A

/** The array that the word at `index` points to and that begins after `begin` words, and where it ends. */
export const arrayAt = <A>(log: RawLog, index: number, begin: number, read: Read<A>) => {
  const length = lengthOf(log, index, begin)
  const end = begin + 1 + length
  expectAtLeast(log, end)
  const values: Array<A> = []
  for (let i = begin + 1; i < end; i++) values.push(read(log, i))
  return { values, end }
}

/** The same for the last array of the data. */
export const lastArrayAt = <A>(log: RawLog, index: number, begin: number, read: Read<A>): ReadonlyArray<A> => {
  const { values, end } = arrayAt(log, index, begin, read)
  expectWords(log, end)
  return values
}

/** The digits of the last byte string of the data, which the word at `index` points to. */
export const lastBytesAt = (log: RawLog, index: number, begin: number): string => {
  const bytes = lengthOf(log, index, begin)
  expectWords(log, begin + 1 + Math.ceil(bytes / 32))
  const start = 2 + (begin + 1) * 64
  return log.data.slice(start, start + bytes * 2)
}
