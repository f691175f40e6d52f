import { expectWords, numberAt, type RawLog, Undecodable } from "./words.ts"

/** How many whole words there are. */
const wordsOf = ({ data }: RawLog) => Math.floor((data.length - 2) / 64)

const expectAtLeast = (log: RawLog, words: number): void => {
  if (wordsOf(log) < words) throw new Undecodable("too little data")
}

/** How long the part is that the word at `place` points to. Contracts put such parts one after the other, so it is known where. */
const lengthOf = (log: RawLog, place: number, begin: number): number => {
  expectAtLeast(log, begin + 1)
  if (numberAt(log, place) !== begin * 32) throw new Undecodable("parts in another order")
  return numberAt(log, begin)
}

type Read<A> = (log: RawLog, place: number) => A

/** The array that the word at `place` points to and that begins after `begin` words, and where it ends. */
export const arrayAt = <A>(log: RawLog, place: number, begin: number, read: Read<A>) => {
  const length = lengthOf(log, place, begin)
  const end = begin + 1 + length
  expectAtLeast(log, end)
  const values: Array<A> = []
  for (let i = begin + 1; i < end; i++) values.push(read(log, i))
  return { values, end }
}

/** The same, when the data end with it. */
export const lastArrayAt = <A>(log: RawLog, place: number, begin: number, read: Read<A>): ReadonlyArray<A> => {
  const { values, end } = arrayAt(log, place, begin, read)
  expectWords(log, end)
  return values
}

/** The digits of the bytes that the word at `place` points to and with which the data end. */
export const lastBytesAt = (log: RawLog, place: number, begin: number): string => {
  const bytes = lengthOf(log, place, begin)
  expectWords(log, begin + 1 + Math.ceil(bytes / 32))
  const start = 2 + (begin + 1) * 64
  return log.data.slice(start, start + bytes * 2)
}
