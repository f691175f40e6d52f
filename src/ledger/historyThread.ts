import { setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import type { RangeAnswer, RangeRead, RangeResult } from "#src/upstream/chain/readRange.ts"
import { decodeRange } from "./decodeRange.ts"
import { type PackedRange, pack, transferables } from "./packedRange.ts"

interface PackedAnswer extends RangeRead {
  readonly packed: PackedRange
}

export interface ReadRequest {
  readonly id: number
  readonly answer: RangeAnswer
}

export interface ReadResponse {
  readonly id: number
  readonly result: RangeResult<PackedAnswer>
}

const decodePacked = (answer: RangeAnswer): ReadResponse["result"] => {
  const result = decodeRange(answer)
  if (result._tag !== "Read") return result
  const { decoded, ...read } = result.value
  return { _tag: "Read", value: { ...read, packed: pack(decoded) } }
}

const buffersOf = (result: ReadResponse["result"]) => {
  if (result._tag === "Read") return transferables(result.value.packed)
  return result._tag === "Untimed" ? [result.bytes.buffer] : []
}

/** A third of the usual CPU share: the thread reads ahead and must not delay the writer. */
const niceness = 5
// On other platforms this applies to the whole process.
if (process.platform === "linux") setPriority(niceness)

parentPort?.on("message", ({ id, answer }: ReadRequest) => {
  const response: ReadResponse = { id, result: decodePacked(answer) }
  if (response.result._tag !== "Untimed") answer.bytes.buffer.transfer(0)
  parentPort?.postMessage(response, buffersOf(response.result))
})
