import type { Level } from "#src/upstream/clob/model.ts"
import type { BookSides } from "./walkBook.ts"

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
const writeNumber = (bytes: Array<number>, value: number): void => {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}

const writeSide = (bytes: Array<number>, levels: ReadonlyArray<Level>): void => {
  writeNumber(bytes, levels.length)
  let before = 0
  for (const { price, size } of levels) {
    // Prices of a side go one way, so that only distances are stored.
    writeNumber(bytes, Math.abs(price - before))
    writeNumber(bytes, size)
    before = price
  }
}

/** The best levels of both sides in a few bytes each: about six, where text takes thirty. */
export const packLevels = ({ bids, asks }: BookSides, most: number): Uint8Array => {
  const bytes: Array<number> = []
  writeSide(bytes, bids.slice(0, most))
  writeSide(bytes, asks.slice(0, most))
  return Uint8Array.from(bytes)
}

export const unpackLevels = (bytes: Uint8Array): BookSides => {
  let at = 0
  const readNumber = () => {
    let [value, scale] = [0, 1]
    for (;;) {
      const byte = bytes[at++] ?? 0
      value += (byte % 128) * scale
      if (byte < 128) return value
      scale *= 128
    }
  }
  const readSide = (direction: 1 | -1) => {
    const count = readNumber()
    let before = 0
    return Array.from({ length: count }, (_, i): Level => {
      const distance = readNumber()
      before = i === 0 ? distance : before + direction * distance
      return { price: before, size: readNumber() }
    })
  }
  return { bids: readSide(-1), asks: readSide(1) }
}
