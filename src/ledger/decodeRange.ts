import { type RangeAnswer, type RangeRead, type RangeResult, readRange } from "#src/upstream/chain/readRange.ts"
import { decodedRange } from "./batches.ts"
import type { DecodedRange } from "./model.ts"

export interface DecodedAnswer extends RangeRead {
  readonly decoded: DecodedRange
}

/** Decodes a node's answer about a range of finalized blocks. */
export const decodeRange = (answer: RangeAnswer): RangeResult<DecodedAnswer> => {
  const result = readRange(answer)
  if (result._tag !== "Read") return result
  const { logs, ...read } = result.value
  return { _tag: "Read", value: { ...read, decoded: decodedRange(logs, read.header) } }
}
