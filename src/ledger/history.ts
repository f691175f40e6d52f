import { Effect, Stream } from "effect"
import { Configuration } from "#src/platform/config/Configuration.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import type { RangeReader } from "#src/upstream/chain/logReader.ts"
import type { BlockRange } from "#src/upstream/chain/readLogs.ts"
import { joinRanges } from "./batches.ts"
import type { DecodedAnswer } from "./decodeRange.ts"
import { historyReader } from "./HistoryReader.ts"
import type { DecodedRange } from "./model.ts"
import { RangeWidth } from "./RangeWidth.ts"
import { factsPerWrite, logsPerRequest } from "./settings.ts"

const rangesAhead = 5

const blocksIn = ({ from, to }: BlockRange) => to - from + 1

export type HistoryOrder = "newest-first" | "oldest-first"

/** Consecutive blocks from `first` on. */
export interface HistoryPart extends DecodedRange {
  readonly first: number
}

/** The next range to read, and what is left after it. */
const split = (left: BlockRange, blocks: number, order: HistoryOrder) => {
  if (order === "oldest-first") {
    const to = Math.min(left.to, left.from + blocks - 1)
    return { range: { from: left.from, to }, left: { from: to + 1, to: left.to } }
  }
  const from = Math.max(left.from, left.to - blocks + 1)
  return { range: { from, to: left.to }, left: { from: left.from, to: from - 1 } }
}

const join = (a: HistoryPart, b: HistoryPart): HistoryPart => {
  const [earlier, later] = a.first < b.first ? [a, b] : [b, a]
  return { ...joinRanges(earlier, later), first: earlier.first }
}

/** Reads finalized blocks in ranges as wide as the node accepts, ahead of the consumer. */
export const readHistory = Effect.gen(function* () {
  const config = yield* Configuration
  const node = yield* ChainNode
  const width = new RangeWidth()

  const rangesIn = (all: BlockRange, order: HistoryOrder) =>
    Stream.unfold(all, (left) =>
      Effect.sync(() => {
        if (left.from > left.to) return undefined
        const next = split(left, width.blocks, order)
        return [next.range, next.left] as const
      }),
    )

  const decodedIn = (all: BlockRange, order: HistoryOrder, read: RangeReader<DecodedAnswer>) => {
    let left = all

    /** Undefined if the range is too large for the node. */
    const decode = (range: BlockRange) => {
      const blocks = blocksIn(range)
      return node.logs(range, read).pipe(
        Effect.map(({ count, decoded }): HistoryPart => {
          width.answered(blocks, count, config.get(logsPerRequest))
          return { ...decoded, first: range.from }
        }),
        Effect.catchTag("RangeTooLarge", (failure) => {
          if (blocks === 1) return Effect.fail(failure)
          width.refused(blocks, failure.suggestedBlocks)
          return Effect.undefined
        }),
      )
    }

    const untilTooLarge = Stream.suspend(() => rangesIn(left, order)).pipe(
      Stream.mapEffect(decode, { concurrency: rangesAhead }),
      Stream.takeWhile((part) => part !== undefined),
      Stream.map((part) => {
        left = split(left, part.last.number - part.first + 1, order).left
        return part
      }),
    )
    // Requests beyond a range that is too large were about as wide, so reading restarts at that range.
    return Stream.unfold(undefined, () =>
      Effect.sync(() => (left.from > left.to ? undefined : ([left, undefined] as const))),
    ).pipe(Stream.flatMap(() => untilTooLarge))
  }

  /** Decoded ranges in order; ranges with few facts are joined. */
  return (all: BlockRange, order: HistoryOrder = "oldest-first") => {
    const isLast = ({ first, last }: HistoryPart) =>
      order === "oldest-first" ? last.number === all.to : first === all.from
    return Stream.unwrap(Effect.map(historyReader, (read) => decodedIn(all, order, read))).pipe(
      Stream.mapAccum(
        (): HistoryPart | undefined => undefined,
        (before, part) => {
          const joined = before === undefined ? part : join(before, part)
          const isEnough = joined.facts.length >= config.get(factsPerWrite) || isLast(joined)
          return isEnough ? [undefined, [joined]] : [joined, []]
        },
      ),
    )
  }
})
