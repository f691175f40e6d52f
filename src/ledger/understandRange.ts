import { type RangeAnswer, type RangeRead, readRange, type Said } from "#src/upstream/chain/readRange.ts"
import { type Stretch, stretchOf } from "./batches.ts"

export interface RangeMeaning extends RangeRead {
  readonly stretch: Stretch
}

/** What a node's answer about a range means. */
export const understandRange = (answer: RangeAnswer): Said<RangeMeaning> => {
  const said = readRange(answer)
  if (said._tag !== "Read") return said
  const { logs, ...read } = said.value
  return { _tag: "Read", value: { ...read, stretch: stretchOf(logs, read.header) } }
}
