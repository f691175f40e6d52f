import { parentPort } from "node:worker_threads"
import type { RangeAnswer, Said } from "#src/upstream/chain/readRange.ts"
import { type RangeMeaning, understandRange } from "./understandRange.ts"

export interface Question {
  readonly id: number
  readonly answer: RangeAnswer
}

export interface Understood {
  readonly id: number
  readonly said: Said<RangeMeaning>
}

parentPort?.on("message", ({ id, answer }: Question) => {
  const said = understandRange(answer)
  const understood: Understood = { id, said }
  parentPort?.postMessage(understood, said._tag === "Untimed" ? [said.bytes.buffer] : [])
})
