import { setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import type { RangeAnswer, RangeRead, Said } from "#src/upstream/chain/readRange.ts"
import { givenAway, type PackedStretch, pack } from "./packedRange.ts"
import { understandRange } from "./understandRange.ts"

export interface PackedMeaning extends RangeRead {
  readonly stretch: PackedStretch
}

export interface Question {
  readonly id: number
  readonly answer: RangeAnswer
}

export interface Understood {
  readonly id: number
  readonly said: Said<PackedMeaning>
}

const packed = (answer: RangeAnswer): Understood["said"] => {
  const said = understandRange(answer)
  return said._tag === "Read" ? { ...said, value: { ...said.value, stretch: pack(said.value.stretch) } } : said
}

const buffersOf = (said: Understood["said"]) => {
  if (said._tag === "Read") return givenAway(said.value.stretch)
  return said._tag === "Untimed" ? [said.bytes.buffer] : []
}

/** A third of the usual share of a processor: it reads ahead of whoever writes, who must not wait because of it. */
const niceness = 5
// Elsewhere this would mean the whole process.
if (process.platform === "linux") setPriority(niceness)

parentPort?.on("message", ({ id, answer }: Question) => {
  const understood: Understood = { id, said: packed(answer) }
  if (understood.said._tag !== "Untimed") answer.bytes.buffer.transfer(0)
  parentPort?.postMessage(understood, buffersOf(understood.said))
})
