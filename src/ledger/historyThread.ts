import { answerRequests } from "#src/platform/process/answerRequests.ts"
import type { RangeAnswer, RangeRead, RangeResult } from "#src/upstream/chain/readRange.ts"
import { decodeRange } from "./decodeRange.ts"
import { type PackedRange, pack, transferables } from "./packedRange.ts"

interface PackedAnswer extends RangeRead {
  readonly packed: PackedRange
}

export type PackedResult = RangeResult<PackedAnswer>

const decodePacked = (answer: RangeAnswer): PackedResult => {
  const result = decodeRange(answer)
  if (result._tag !== "Read") return result
  const { decoded, ...read } = result.value
  return { _tag: "Read", value: { ...read, packed: pack(decoded) } }
}

const buffersOf = (result: PackedResult) => {
  if (result._tag === "Read") return transferables(result.value.packed)
  return result._tag === "Untimed" ? [result.bytes.buffer] : []
}

answerRequests<RangeAnswer, PackedResult>((answer) => {
  const result = decodePacked(answer)
  if (result._tag !== "Untimed") answer.bytes.buffer.transfer(0)
  return { answer: result, transferred: buffersOf(result) }
})
