import { crc32 } from "node:zlib"
import { showDecimal } from "#src/upstream/clob/decimal.ts"
import type { BookSide } from "./OrderBook.ts"

/**
 * The checksum of a book is the XOR of this over all its levels: whoever changes a level takes its old hash out and puts
 * the new one in, and the order of the levels does not matter.
 */
export const levelHash = (side: BookSide, price: number, size: number): number =>
  crc32(`${side}:${showDecimal(price)}:${showDecimal(size)}`)

export const checksumText = (sum: number): string => (sum >>> 0).toString(16).padStart(8, "0")
