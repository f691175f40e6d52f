import type { BlockRange } from "#src/upstream/chain/readLogs.ts"

/** The blocks that are counted, and the first block of each window that ends with the last one. */
export interface Edges extends BlockRange {
  readonly starts: ReadonlyArray<number>
}

/** Higher than any block. */
const never = 2_147_483_647

/** Nothing is counted. */
export const noBlocks: Edges = { from: never, to: 0, starts: [never, never, never, never] }

const between = (a: number, b: number): BlockRange => ({ from: Math.min(a, b), to: Math.max(a, b) - 1 })

/** Blocks that enter or leave a window between two states, without overlaps. */
export const movedBlocks = (before: Edges, after: Edges): ReadonlyArray<BlockRange> => {
  const ranges = [
    between(before.to + 1, after.to + 1),
    between(before.from, after.from),
    ...after.starts.map((start, i) => between(start, before.starts[i] ?? start)),
  ]
  const merged: Array<{ from: number; to: number }> = []
  for (const { from, to } of ranges.filter((range) => range.from <= range.to).sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || from > last.to + 1) merged.push({ from, to })
    else last.to = Math.max(last.to, to)
  }
  return merged
}
